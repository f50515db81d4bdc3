/** The formats that validators assert, by name: those of ajv-formats, some of them closer to their RFC. */
import { fullFormats } from "ajv-formats/dist/formats.js";
import { storedDate } from "../filter/dates.ts";

const timePattern =
  /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;

/** RFC 3339 `full-time`; second 60 only where it is the last of a UTC day. */
function isTime(text: string): boolean {
  const [, hour, minute, second, sign, offsetHour, offsetMinute] = timePattern.exec(text) ?? [];
  if (hour === undefined) return false;
  if (second !== "60") return true;
  const offset = Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0);
  const utc = Number(hour) * 60 + Number(minute) + (sign === "-" ? offset : -offset);
  return (utc + 1440) % 1440 === 1439;
}

/** RFC 3339 appendix A: no unit may be left out between two others. */
const duration =
  /^P(?:\d+W|(?=[\dT])(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/;

/** ECMA-262, as `pattern` reads it. */
function isPattern(text: string): boolean {
  try {
    new RegExp(text, "u");
    return true;
  } catch {
    return false;
  }
}

/** That of ajv-formats takes quadratic time for `(?::\S*)?` before the `@`, which `\S+` matches as well. */
const url =
  /^(?:https?|ftp):\/\/(?:\S+@)?(?:(?!(?:10|127)(?:\.\d{1,3}){3})(?!(?:169\.254|192\.168)(?:\.\d{1,3}){2})(?!172\.(?:1[6-9]|2\d|3[0-1])(?:\.\d{1,3}){2})(?:[1-9]\d?|1\d\d|2[01]\d|22[0-3])(?:\.(?:1?\d{1,2}|2[0-4]\d|25[0-5])){2}(?:\.(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-4]))|(?:(?:[a-z0-9\u{00a1}-\u{ffff}]+-)*[a-z0-9\u{00a1}-\u{ffff}]+)(?:\.(?:[a-z0-9\u{00a1}-\u{ffff}]+-)*[a-z0-9\u{00a1}-\u{ffff}]+)*(?:\.(?:[a-z\u{00a1}-\u{ffff}]{2,})))(?::\d{2,5})?(?:\/[^\s]*)?$/iu;

export const formats = {
  ...fullFormats,
  date: (text: string) => storedDate(text, "date") !== undefined,
  time: isTime,
  "date-time": (text: string) => storedDate(text, "date-time") !== undefined,
  duration,
  regex: isPattern,
  url,
  uuid: /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
};
