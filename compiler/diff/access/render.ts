/** The answer of `realmc diff --no-new-access`, as text for people and as JSON for tools. */
import picocolors from "picocolors";
import { visible } from "../../diagnostics/visible.ts";
import type { Gain } from "./gains.ts";
import type { Verdict } from "./gate.ts";

/** `PASS`, or `FAIL` and below it a paragraph for each gain. */
export function renderVerdict({ result, gains }: Verdict, colored: boolean): string {
  const colors = picocolors.createColors(colored);
  if (result === "PASS") return colors.green(result);
  const parts = kinds.flatMap(({ kind, title }) => {
    const own = gains.filter((gain) => gain.kind === kind);
    return own.length === 0 ? [] : ["", colors.bold(title), ...own.flatMap(linesOf)];
  });
  return [colors.red(result), ...parts].join("\n");
}

const kinds: readonly { readonly kind: Gain["kind"]; readonly title: string }[] = [
  { kind: "gained", title: "Somebody may do what they could not" },
  { kind: "undecided", title: "Undecided: it is not proved that nobody may do more" },
  { kind: "given", title: "Settings that let somebody do more, whatever the rules say" },
  { kind: "new", title: "New, where nobody could do anything" },
];

function linesOf({ realm, where, column, rows, clauses, witness }: Gain): readonly string[] {
  const place = [realm, where, ...(column === undefined ? [] : [column])].join(" ");
  const who = rows.length === 0 ? "" : ` [${rows.join(", ")}]`;
  return [`${place}${who}: ${witness}`, ...clauses.map((clause) => `  ${clause}`)].map(visible);
}

/** `{"result", "gains": [{kind, realm, where, column, rows, clauses, witness}]}`. */
export function renderVerdictJson({ result, gains }: Verdict): string {
  const rows = gains.map(({ kind, realm, where, column, rows: own, clauses, witness }) =>
    JSON.stringify({ kind, realm, where, column: column ?? null, rows: own, clauses, witness }),
  );
  return `{"result": "${result}", "gains": [${rows.length === 0 ? "" : `\n${rows.join(",\n")}\n`}]}`;
}
