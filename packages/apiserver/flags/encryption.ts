import { boolean, text } from './flag.ts';
import { FlagError, flagGroup } from './group.ts';

/** How objects are kept in the store. */
export const encryptionFlags = flagGroup({
  title: 'encryption',
  flags: {
    'encryption-provider-config': text(
      '<file>',
      'what is encrypted in the store, and by what (EncryptionConfiguration)',
    ),
    'encryption-provider-config-automatic-reload': boolean('read the file again when it changes', false),
  },
  toOptions(values) {
    const path = values['encryption-provider-config'];
    const reload = values['encryption-provider-config-automatic-reload'];
    if (path === undefined && reload) {
      const why = '--encryption-provider-config must be set with it';
      throw new FlagError('encryption-provider-config-automatic-reload', why);
    }
    return { server: { encryption: path === undefined ? undefined : { path, reload } } };
  },
});
