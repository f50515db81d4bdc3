/** Plans as text for people and as JSON for tools. */
import picocolors from "picocolors";
import { visible } from "../diagnostics/visible.ts";
import { type Finding, type Plan, type Severity, severities } from "./finding.ts";
import type { Rehearsal } from "./rehearsal.ts";
import { rehearsalJson } from "./render-rehearsal.ts";

/** A finding: `incompatible desk db/notes schema: message (documents-unfit)`, then the ids it names. */
export function renderPlan({ findings }: Plan, colored: boolean): string {
  const colors = picocolors.createColors(colored);
  const paints: Readonly<Record<Severity, (text: string) => string>> = {
    destructive: (text) => colors.bold(colors.red(text)),
    incompatible: colors.red,
    blocking: colors.yellow,
    safe: colors.green,
  };
  return findings
    .map((found) => {
      const { kind, severity, realm, where, message } = found;
      const place = [realm, where].filter((part) => part !== "").join(" ");
      const line = `${paints[severity](severity)} ${colors.bold(visible(place))}: ${visible(message)}${time(found)} ${colors.dim(`(${kind})`)}`;
      return [line, ...named(found)].join("\n");
    })
    .join("\n");
}

function time({ seconds }: Finding): string {
  return seconds === undefined || seconds === 0 ? "" : `, about ${seconds} s`;
}

function named({ ids, count }: Finding): readonly string[] {
  if (ids.length === 0) return [];
  return [`  ${ids.join(" ")}${ids.length < count ? " …" : ""}`];
}

/** As {@link Plan}, one finding a line; with what a rehearsal found, where there was one. */
export function renderPlanJson({ old, new: now, findings, exact }: Plan, rehearsal?: Rehearsal): string {
  const rows = findings.map((found) => JSON.stringify(found));
  const list = rows.length === 0 ? "[]" : `[\n${rows.join(",\n")}\n]`;
  const more = rehearsal === undefined ? "" : `, "rehearsal": ${JSON.stringify(rehearsalJson(rehearsal))}`;
  return `{"old": ${JSON.stringify(old)}, "new": ${JSON.stringify(now)}, "findings": ${list}, "exact": ${exact}${more}}`;
}

/** `1 destructive, 2 safe`. */
export function renderPlanCount({ findings, exact }: Plan): string {
  const counts = [...severities]
    .reverse()
    .map((severity) => [severity, findings.filter((each) => each.severity === severity).length] as const)
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => `${count} ${severity}`);
  const words = counts.length === 0 ? "nothing that concerns stored documents" : counts.join(", ");
  return exact ? words : `${words}; only a sample was looked at`;
}
