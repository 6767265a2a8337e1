/** How a share of a total becomes a count. */
export interface Rounding {
  readonly roundUp: boolean;
}

/**
 * A count as it is, "25%" as that share of `total` (util/intstr GetScaledValueFromIntOrPercent). Throws with upstream's
 * message on a text that is not a percentage.
 */
export function resolveIntOrPercent(value: number | string, total: number, rounding: Rounding): number {
  if (typeof value === 'number') return value;
  if (!value.endsWith('%')) throw new Error('invalid value for IntOrString: invalid type: string is not a percentage');
  const digits = value.slice(0, -1);
  if (!/^[+-]?\d+$/.test(digits)) {
    const why = `strconv.Atoi: parsing ${JSON.stringify(digits)}: invalid syntax`;
    throw new Error(`invalid value for IntOrString: invalid value ${JSON.stringify(value)}: ${why}`);
  }
  const share = (Number(digits) * total) / 100;
  return rounding.roundUp ? Math.ceil(share) : Math.floor(share);
}

/** Whether the value is written as a share of something. */
export const isPercent = (value: number | string | undefined): value is string =>
  typeof value === 'string' && /^[0-9]+%$/.test(value);
