/** Decisions and lists as text. */
import { oneLine } from "../model/rule-source.ts";
import type { Decision, Judged, Part } from "./decision.ts";
import type { Listing } from "./listing.ts";

export function renderDecision(decision: Decision): string {
  const { rule, deciding, values, hidden, hiding, details = [] } = decision;
  const sections = [
    [`${decision.decision} ${decision.status}: ${decision.because}`],
    ...(details.length === 0 ? [] : [details.map(({ path, reason }) => `  ${path}: ${reason}`)]),
    ...(rule === null ? [] : [judgedLines({ rule, deciding, values })]),
    ...(hidden.length === 0
      ? []
      : [
          [`hidden: ${hidden.join(", ")}`],
          ...hiding.map(({ path, ...judged }) => [`${path} is hidden`, ...judgedLines(judged)]),
        ]),
  ];
  return sections.map((lines) => lines.join("\n")).join("\n\n");
}

/** The rule's text, and below it each part with what it comes to; those that decide are marked. */
export function judgedLines({ rule, deciding, values }: Judged): readonly string[] {
  const isDeciding = (part: Part): boolean =>
    deciding.some(
      (each) => each.line === part.line && each.column === part.column && each.text === part.text,
    );
  const rows = values.map((part) => ({
    mark: isDeciding(part) && typeof part.value === "boolean" ? ">" : " ",
    text: oneLine(part.text),
    value: valueText(part.value),
    place: `${part.line}:${part.column}`,
  }));
  const widest = Math.min(60, Math.max(0, ...rows.map(({ text }) => text.length)));
  return [
    `${rule.name}  ${rule.file}:${rule.line}`,
    ...rule.text.split("\n").map((line) => `  ${line}`),
    "",
    ...rows.map(({ mark, text, value, place }) => {
      const told = `${text.length > 60 ? `${text.slice(0, 59)}…` : text}`.padEnd(widest);
      return `${mark} ${told}  ${value}  (${place})`;
    }),
  ];
}

/** Short: a profile may be large. */
function valueText(value: unknown): string {
  if (value === null || value === undefined) return "absent";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

export function renderListing({ decision, status, filter, index, plan, verdict, refused }: Listing): string {
  return [
    `${decision} ${status}: ${verdict}`,
    `filter: ${filter}`,
    `index: ${index ?? "none"}`,
    ...(plan.length === 0 ? [] : ["plan:", ...plan.map((line) => `  ${line}`)]),
    ...(refused === null ? [] : ["", ...judgedLines(refused)]),
  ].join("\n");
}
