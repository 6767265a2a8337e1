// Generated from the facts by packages/api/generate; never edited.

export interface PodSecurityConfiguration {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  defaults: PodSecurityDefaults;
  exemptions: PodSecurityExemptions;
}

export interface PodSecurityDefaults {
  enforce?: string | undefined;
  "enforce-version"?: string | undefined;
  audit?: string | undefined;
  "audit-version"?: string | undefined;
  warn?: string | undefined;
  "warn-version"?: string | undefined;
}

export interface PodSecurityExemptions {
  usernames?: string[] | undefined;
  namespaces?: string[] | undefined;
  runtimeClasses?: string[] | undefined;
}
