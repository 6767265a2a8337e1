/** Scenarios that do not agree in every step, and why. */
export const notWhole: Readonly<Record<string, string>> = {
  openapi: 'OpenID has no OpenAPI document',
};
