import { list } from './flag.ts';
import { flagGroup } from './group.ts';

/** What becomes of objects on their way in. */
export const admissionFlags = flagGroup({
  title: 'admission',
  flags: {
    'enable-admission-plugins': list('<list>', 'admission plugins beside the default ones'),
    'disable-admission-plugins': list('<list>', 'default admission plugins to leave out'),
  },
  toOptions: (values) => ({
    security: {
      enableAdmissionPlugins: values['enable-admission-plugins'],
      disableAdmissionPlugins: values['disable-admission-plugins'],
    },
  }),
});
