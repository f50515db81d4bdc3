/** Changes as text for people and as JSON for tools. */
import picocolors from "picocolors";
import { visible } from "../diagnostics/visible.ts";
import { type Change, type Kind, kinds } from "../settings/change.ts";

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
    .map(({ kind, realm, where, message, check }) => {
      const place = [realm, where].filter((part) => part !== "").join(" ");
      return `${paints[kind](kind)} ${colors.bold(visible(place))}: ${visible(message)} ${colors.dim(`(${check})`)}`;
    })
    .join("\n");
}

/** `{"changes": [{kind, realm, where, message}]}`, one change a line. */
export function renderChangesJson(changes: readonly Change[]): string {
  const rows = changes.map(({ kind, realm, where, message }) =>
    JSON.stringify({ kind, realm, where, message }),
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
