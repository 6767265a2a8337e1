import { readAdmissionConfiguration } from '../admission/configuration/admission-configuration.ts';
import { integer, list, text } from './flag.ts';
import { flagGroup, withFlag } from './group.ts';

/** What becomes of objects on their way in. */
export const admissionFlags = flagGroup({
  title: 'admission',
  flags: {
    'admission-control-config-file': text('<file>', 'AdmissionConfiguration: configurations of admission plugins'),
    'default-not-ready-toleration-seconds': integer('<seconds>', 'pods stay so long on nodes that are not ready', 300),
    'default-unreachable-toleration-seconds': integer('<seconds>', 'pods stay so long on nodes out of reach', 300),
    'enable-admission-plugins': list('<list>', 'admission plugins beside the default ones'),
    'disable-admission-plugins': list('<list>', 'default admission plugins to leave out'),
  },
  toOptions: (values) => ({
    security: {
      admissionConfiguration: configurationIn(values['admission-control-config-file']),
      enableAdmissionPlugins: values['enable-admission-plugins'],
      defaultTolerationSeconds: {
        notReady: values['default-not-ready-toleration-seconds'],
        unreachable: values['default-unreachable-toleration-seconds'],
      },
      disableAdmissionPlugins: values['disable-admission-plugins'],
    },
  }),
});

const configurationIn = (path: string | undefined) =>
  path === undefined ? undefined : withFlag('admission-control-config-file', () => readAdmissionConfiguration(path));
