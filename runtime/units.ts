const milliseconds = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const bytes = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** `30s`, `15m`, `8h`, `30d` (and `250ms`) in milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  return measure(text, milliseconds);
}

/** Milliseconds as configuration writes them, in the largest unit that leaves no rest. */
export function printDuration(value: number): string {
  const [unit, factor] = Object.entries(milliseconds).findLast(([, size]) => value % size === 0) ?? ["ms", 1];
  return value === 0 ? "0s" : `${value / factor}${unit}`;
}

/** So many in so long. */
export interface Rate {
  readonly limit: number;
  /** Milliseconds. */
  readonly period: number;
}

/** `10/h`, `5/m`, `100/d`; undefined for anything else, and for more than nine digits. */
export function parseRate(text: string): Rate | undefined {
  const [, limit, unit] = /^([1-9]\d{0,8})\/([mhd])$/.exec(text) ?? [];
  const period = parseDuration(`1${unit}`);
  return limit === undefined || period === undefined ? undefined : { limit: Number(limit), period };
}

/** As configuration writes it. */
export function printRate({ limit, period }: Rate): string {
  return `${limit}/${printDuration(period).slice(1)}`;
}

/** `64KiB`, `5MiB`, or a plain number of bytes; undefined for anything else. */
export function parseSize(text: string): number | undefined {
  return measure(/^\d+$/.test(text) ? `${text}B` : text, bytes);
}

/** Bytes as configuration writes them, in the largest unit that leaves no rest. */
export function printSize(value: number): string {
  const [unit, factor] = Object.entries(bytes).findLast(([, size]) => value % size === 0) ?? ["B", 1];
  return value === 0 ? "0B" : `${value / factor}${unit}`;
}

function measure(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const [, amount, unit = ""] = /^(\d{1,12})([A-Za-z]+)$/.exec(text) ?? [];
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (amount === undefined || factor === undefined) return undefined;
  const value = Number(amount) * factor;
  return Number.isSafeInteger(value) ? value : undefined;
}
