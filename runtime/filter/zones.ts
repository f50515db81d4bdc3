/** Local time in IANA time zones, exact on days on which clocks change, or skip a day. Instants in epoch milliseconds. */
export interface Zones {
  /** Whether there is such a zone; offsets and abbreviations such as `IST` are none. Case does not matter. */
  has(zone: string): boolean;
  /** Milliseconds by which local time is ahead of UTC. */
  offsetAt(zone: string, instant: number): number;
  /** When clocks change; `to` where they do not. The two are less than three days apart, so that it is one change. */
  changeBetween(zone: string, from: number, to: number): number;
  /** The local day, `2026-03-01`, that holds a stored date; it stays within the years 0 to 9999. */
  dayOf(zone: string, date: string): string;
  /**
   * The start of the local hour that holds a stored date, as an instant in its stored form. An hour that clocks repeat
   * is two; one that they enter or leave midway starts or ends there.
   */
  hourOf(zone: string, date: string): string;
}

export const zones = timeZones();

/** Makes {@link zones}. Self-contained, for its text runs in reader threads too (see sqlite/functions.ts). */
export function timeZones(): Zones {
  const hour = 3_600_000;
  const day = 24 * hour;
  const earliest = Date.parse("0000-01-01");
  const latest = Date.parse("9999-12-31T23:59:59.999Z");

  /** Zones kept, and of the one asked for last the days of which it is known what they are made of. */
  const most = { zones: 50, days: 4000 };
  /** What else the library takes for names of zones. */
  const name = /^(?!SystemV)(?:[A-Z][\w+-]*(?:\/[\w+-]+)+|[A-Z][\w+-]{3,}|GB|NZ)$/i;
  const short = new Set("CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET".split(" "));

  /** A part of a day in UTC that lies in one local period. */
  interface Piece {
    /** Stored dates before it lie in this part. */
    readonly end: string;
    readonly period: string;
  }

  const known = new Map<string, Intl.DateTimeFormat>();

  const open = (zone: string): Intl.DateTimeFormat => {
    const found = known.get(zone);
    if (found !== undefined) return found;
    const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    if (known.size >= most.zones) known.clear();
    known.set(zone, format);
    return format;
  };

  const has = (zone: string): boolean => {
    if (zone.length > 50 || !(name.test(zone) || short.has(zone.toUpperCase()))) return false;
    try {
      open(zone);
      return true;
    } catch {
      return false;
    }
  };

  /** The library writes `GMT+01:00`, `GMT-00:44:30` or `GMT`. */
  const offset = (zone: Intl.DateTimeFormat, instant: number): number => {
    const text = zone.format(instant);
    const [hours = 0, minutes = 0, seconds = 0] = text
      .slice(text.lastIndexOf("T") + 2)
      .split(":")
      .map(Number);
    const size = hours * hour + minutes * 60_000 + seconds * 1000;
    return text.includes("-", text.lastIndexOf("T")) ? -size : size;
  };

  const change = (zone: Intl.DateTimeFormat, from: number, to: number): number => {
    const before = offset(zone, from);
    if (offset(zone, to) === before) return to;
    let [low, high] = [from, to];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offset(zone, middle) === before) low = middle;
      else high = middle;
    }
    return high;
  };

  const stored = (instant: number): string =>
    new Date(Math.min(Math.max(instant, earliest), latest)).toISOString();

  /** The local hours, or days, that a day in UTC is made of. */
  const pieces = (zone: Intl.DateTimeFormat, start: number, length: number): readonly Piece[] => {
    const end = start + day;
    // The first hour may have begun, or its clock have changed, before.
    const from = start - hour;
    const changes = change(zone, from, end);
    const made: Piece[] = [];
    for (const [since, until] of [
      [from, changes],
      [changes, end],
    ] as const) {
      if (since === until) continue;
      const ahead = offset(zone, since);
      for (let at = since; at < until; ) {
        const local = Math.floor((at + ahead) / length) * length;
        const next = Math.min(until, local + length - ahead);
        if (next > start) {
          const began = since === from ? local - ahead : Math.max(since, local - ahead);
          const period = length === hour ? stored(began) : stored(local).slice(0, 10);
          made.push({ end: next === end ? "~" : stored(next), period });
        }
        at = next;
      }
    }
    return made;
  };

  const digit = (date: string, at: number) => date.charCodeAt(at) - 48;

  /** A small number for the day of a stored date, faster to look up than its text. */
  const numbered = (date: string): number => {
    const year = digit(date, 0) * 1000 + digit(date, 1) * 100 + digit(date, 2) * 10 + digit(date, 3);
    return year * 512 + (digit(date, 5) * 10 + digit(date, 6)) * 32 + digit(date, 8) * 10 + digit(date, 9);
  };

  /** What days in UTC are made of, {@link numbered}. */
  type Days = Map<number, readonly Piece[]>;
  let last: { readonly name: string; readonly days: Days; readonly hours: Days } | undefined;

  const periodOf = (name: string, date: string, length: number): string => {
    if (last?.name !== name) last = { name, days: new Map(), hours: new Map() };
    const kept = length === hour ? last.hours : last.days;
    const key = numbered(date);
    let parts = kept.get(key);
    if (parts === undefined) {
      parts = pieces(open(name), Date.parse(date.slice(0, 10)), length);
      if (kept.size >= most.days) kept.clear();
      kept.set(key, parts);
    }
    for (const { end, period } of parts) if (date < end) return period;
    return "";
  };

  return {
    has,
    offsetAt: (zone, instant) => offset(open(zone), instant),
    changeBetween: (zone, from, to) => change(open(zone), from, to),
    dayOf: (zone, date) => periodOf(zone, date, day),
    hourOf: (zone, date) => periodOf(zone, date, hour),
  };
}
