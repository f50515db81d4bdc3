/** Changes as text for people and as JSON for tools. */
import picocolors from "picocolors";
import { kept } from "../../runtime/kept.ts";
import { visible } from "../diagnostics/visible.ts";
import { type Change, type ChangedCell, type Kind, kinds } from "../settings/change.ts";

/** One line a change: `breaking helpdesk support/tickets schema.status: message (check)`. */
export function renderChanges(changes: readonly Change[], colored: boolean): string {
  const colors = picocolors.createColors(colored);
  const paints: Readonly<Record<Kind, (text: string) => string>> = {
    leak: (text) => colors.bold(colors.red(text)),
    breaking: colors.red,
    additive: colors.green,
    internal: colors.dim,
  };
  return changes
    .map(({ kind, realm, where, message, check, cells = [] }) => {
      const place = [realm, where].filter((part) => part !== "").join(" ");
      const line = `${paints[kind](kind)} ${colors.bold(visible(place))}: ${visible(message)} ${colors.dim(`(${check})`)}`;
      return [line, ...cellLines(cells).map(visible)].join("\n");
    })
    .join("\n");
}

/** Rows of a column that changed alike share a line: `  read of signed in, owner: never -> if document.public`. */
function cellLines(cells: readonly ChangedCell[]): readonly string[] {
  const rows = new Map<string, { readonly column: string; readonly change: string; readonly of: string[] }>();
  for (const { row, column, was, is } of cells) {
    const change = `${was} -> ${is}`;
    kept(rows, `${column} ${change}`, () => ({ column, change, of: [] })).of.push(row);
  }
  return [...rows.values()].map(({ column, change, of }) => `  ${column} of ${of.join(", ")}: ${change}`);
}

/** `{"changes": [{kind, realm, where, message, cells}]}`, one change a line; `cells` where there are any. */
export function renderChangesJson(changes: readonly Change[]): string {
  const rows = changes.map(({ kind, realm, where, message, cells }) =>
    JSON.stringify({ kind, realm, where, message, cells }),
  );
  return rows.length === 0 ? '{"changes": []}' : `{"changes": [\n${rows.join(",\n")}\n]}`;
}

/** `2 breaking, 1 additive`. */
export function renderChangeCount(changes: readonly Change[]): string {
  if (changes.length === 0) return "no changes";
  const counts = kinds.map(
    (kind) => [kind, changes.filter((change) => change.kind === kind).length] as const,
  );
  return counts
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(", ");
}
