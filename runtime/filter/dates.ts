import type { Detail } from "../errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Field } from "./fields.ts";

/** The two forms of `x-svc-store: date`. */
export type DateKind = "date-time" | "date";

const storedInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const storedDay = /^\d{4}-\d\d-\d\d$/;
const rfc3339 =
  /^(?<day>\d{4}-\d\d-\d\d)[Tt ](?<time>\d\d:\d\d):(?<second>\d\d)(?:\.(?<fraction>\d+))?(?:[Zz]|(?<sign>[+-])(?<hours>[01]\d|2[0-3]):(?<minutes>[0-5]\d))$/;

/**
 * A date in the form in which it is stored, compared and returned: `YYYY-MM-DDTHH:MM:SS.mmmZ` from a `date-time` of any
 * offset and precision (cut to milliseconds), `YYYY-MM-DD` from a `date`. Undefined for what is not an RFC 3339 date,
 * and for instants outside the years 0 to 9999.
 */
export function storedDate(value: string, kind: DateKind): string | undefined {
  if (kind === "date")
    return storedDay.test(value) && isInstant(`${value}T00:00:00.000Z`) ? value : undefined;
  if (storedInstant.test(value) && isInstant(value)) return value;
  const parts = rfc3339.exec(value)?.groups;
  return parts === undefined ? undefined : toUtc(parts);
}

/** Whether a text is a date and time but for the zone. */
export function lacksZone(text: string): boolean {
  return storedDate(`${text}Z`, "date-time") !== undefined;
}

/** What is wrong with such a text. */
export const zoneReason = "must have a zone: Z for UTC, or an offset such as +02:00";

/** Epoch milliseconds of a date in its stored form, of a day its midnight; undefined for any other text. */
export function epochOf(stored: string): number | undefined {
  const kind = stored.length === DAY ? "date" : "date-time";
  return storedDate(stored, kind) === stored ? Date.parse(stored) : undefined;
}

/** Characters of `YYYY-MM-DD`. */
const DAY = 10;

function toUtc(parts: Readonly<Record<string, string | undefined>>): string | undefined {
  const { day, time, second, fraction = "", sign, hours, minutes } = parts;
  const leap = second === "60";
  const local = `${day}T${time}:${leap ? "59" : second}.${fraction.slice(0, 3).padEnd(3, "0")}Z`;
  if (!isInstant(local)) return undefined;
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  const utc = Date.parse(local) + (sign === "-" ? offset : -offset);
  // A leap second ends a day in UTC; it is stored as the second after it.
  if (leap && new Date(utc).toISOString().slice(-13, -5) !== "23:59:59") return undefined;
  const text = new Date(leap ? utc + 1000 : utc).toISOString();
  // Years beyond four digits have a sign.
  return text.length === 24 ? text : undefined;
}

/** Whether a text in the form of `toISOString` names a day and time that exist. */
function isInstant(text: string): boolean {
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString() === text;
}

/**
 * Makes the `normalizeDates` of a collection: it brings the given fields of a document into their stored form, in
 * place, and answers what is not a date. Each field's kind is `date-time` or `date`; what is no string stays.
 */
export function dateNormalizer(...fields: readonly Field[]): (document: JsonObject) => readonly Detail[] {
  const targets = fields.map(
    ({ segments, kinds }) => ({ segments, kind: kinds.includes("date") ? "date" : "date-time" }) as const,
  );
  return (document) => {
    const problems: Detail[] = [];
    for (const target of targets) normalizeMember(document, target, 0, "", problems);
    return problems;
  };
}

interface Target {
  readonly segments: readonly string[];
  readonly kind: DateKind;
}

function normalizeMember(
  object: JsonObject,
  target: Target,
  depth: number,
  prefix: string,
  problems: Detail[],
): void {
  const name = target.segments[depth];
  if (name === undefined || !Object.hasOwn(object, name)) return;
  const value = object[name];
  if (value === undefined || value === null) return;
  object[name] = normalized(value, target, depth + 1, prefix + name, problems);
}

function normalized(
  value: JsonValue,
  target: Target,
  depth: number,
  path: string,
  problems: Detail[],
): JsonValue {
  if (Array.isArray(value)) {
    return value.map((item, at) => normalized(item, target, depth, `${path}.${at}`, problems));
  }
  if (isJsonObject(value)) {
    normalizeMember(value, target, depth, `${path}.`, problems);
    return value;
  }
  if (typeof value !== "string" || depth < target.segments.length) return value;
  const date = storedDate(value, target.kind);
  if (date === undefined) {
    const reason =
      target.kind === "date-time" && lacksZone(value) ? zoneReason : `must be a ${target.kind} of RFC 3339`;
    problems.push({ path, reason });
  }
  return date ?? value;
}
