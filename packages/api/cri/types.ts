import { containerMessages } from './messages/container.ts';
import { enums } from './messages/enums.ts';
import { imageMessages } from './messages/image.ts';
import { runtimeMessages } from './messages/runtime.ts';
import { sandboxMessages } from './messages/sandbox.ts';
import { statsMessages } from './messages/stats.ts';

/**
 * CRI v1 as data (k8s.io/cri-api, runtime.v1). A field is written `<number> [repeated | map] <type>`; the types below
 * and the protobuf codec are both derived from this one table. Field names are protobuf's JSON names.
 */
export const messages = {
  ...runtimeMessages,
  ...sandboxMessages,
  ...containerMessages,
  ...imageMessages,
  ...statsMessages,
} as const;

export { enums };

type Messages = typeof messages;
type Enums = typeof enums;

export type MessageName = keyof Messages;
/** The values of an enumeration, by name: `CriEnum<'ContainerState'>`. */
export type CriEnum<Name extends keyof Enums> = Enums[Name][number];

/** 64-bit integers are numbers: times in nanoseconds lose their last digits, which nothing here depends on. */
interface Scalars {
  string: string;
  bool: boolean;
  int32: number;
  int64: number;
  uint32: number;
  uint64: number;
  double: number;
  bytes: Uint8Array;
}

type Plain<Type> = Type extends keyof Scalars ? Scalars[Type] : Type extends keyof Enums ? Enums[Type][number] : never;

type FullValue<Fact> = Fact extends `${number} repeated ${infer Type}`
  ? (Type extends MessageName ? CriMessage<Type> : Plain<Type>)[]
  : Fact extends `${number} map ${string}`
    ? Record<string, string>
    : Fact extends `${number} ${infer Type}`
      ? Type extends MessageName
        ? CriMessage<Type>
        : Plain<Type>
      : never;

type InitValue<Fact> = Fact extends `${number} repeated ${infer Type}`
  ? readonly (Type extends MessageName ? CriInit<Type> : Plain<Type>)[]
  : Fact extends `${number} map ${string}`
    ? Readonly<Record<string, string>>
    : Fact extends `${number} ${infer Type}`
      ? Type extends MessageName
        ? CriInit<Type>
        : Plain<Type>
      : never;

type IsMessage<Fact> = Fact extends `${number} repeated ${string}` | `${number} map ${string}`
  ? false
  : Fact extends `${number} ${MessageName}`
    ? true
    : false;

/** A message as it is read: scalars, lists and maps are always there (zero when unset), messages may be absent. */
export type CriMessage<Name extends MessageName> = {
  -readonly [Key in keyof Messages[Name] as IsMessage<Messages[Name][Key]> extends true ? never : Key]: FullValue<
    Messages[Name][Key]
  >;
} & {
  -readonly [Key in keyof Messages[Name] as IsMessage<Messages[Name][Key]> extends true ? Key : never]?:
    | FullValue<Messages[Name][Key]>
    | undefined;
};

/** A message as it is written: what is left out is zero. */
export type CriInit<Name extends MessageName> = {
  readonly [Key in keyof Messages[Name]]?: InitValue<Messages[Name][Key]> | undefined;
};
