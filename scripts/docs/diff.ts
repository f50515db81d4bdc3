/** The catalogue in `docs/diff.md`, printed from the table of checks. */

import { chapters } from "../../compiler/diff/catalogue.ts";
import type { CheckEntry } from "../../compiler/settings/change.ts";
import { inWrittenOrder } from "./written-order.ts";

/** The document with what stands between `<!-- checks -->` and `<!-- end -->` printed anew. */
export function withChecks(document: string): string {
  return document.replace(
    /(<!-- checks -->\n)[\s\S]*?(<!-- end -->)/,
    (_, start: string, end: string) => `${start}\n${catalogueText(document)}\n\n${end}`,
  );
}

function catalogueText(written: string): string {
  return Object.entries(chapters)
    .map(
      ([title, checks]) =>
        `### ${title}\n\n${tableText(inWrittenOrder(checks, written, (check) => `| \`${check}\` |`))}`,
    )
    .join("\n\n");
}

function tableText(checks: Readonly<Record<string, CheckEntry>>): string {
  const rows = Object.entries(checks).map(
    ([check, { kind, message, why }]) =>
      `| \`${check}\` | ${kind} | ${cell(placeholders(message))} | ${cell(why)} |`,
  );
  return ["| Check | Kind | Message | Why |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

/** `{old}` as *old*. */
function placeholders(message: string): string {
  return message.replace(/\{(\w+)\}/g, "*$1*");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
