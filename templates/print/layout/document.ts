/**
 * Text whose line breaks are still open. Groups stand on one line where they fit, else every {@link line} of theirs ends one; a
 * group that holds a {@link hardLine} never fits.
 */
export type Doc = string | readonly Doc[] | Line | Indented | Group | Choice | Following;

interface Line {
  readonly kind: "line";
  /** What stands in its place where the group fits; undefined: it never does. */
  readonly flat: string | undefined;
}

interface Indented {
  readonly kind: "indented";
  readonly doc: Doc;
  readonly breaks: boolean;
}

interface Group {
  readonly kind: "group";
  /** The first of which fits, or the last. */
  readonly states: readonly Doc[];
  readonly breaks: boolean;
}

interface Choice {
  readonly kind: "choice";
  readonly broken: Doc;
  readonly flat: Doc;
}

interface Following {
  readonly kind: "following";
  readonly doc: Doc;
  readonly breaks: boolean;
}

export const line: Doc = { kind: "line", flat: " " };
export const softLine: Doc = { kind: "line", flat: "" };
export const hardLine: Doc = { kind: "line", flat: undefined };

export function indented(...parts: readonly Doc[]): Doc {
  return { kind: "indented", doc: parts, breaks: breaks(parts) };
}

export function group(...parts: readonly Doc[]): Doc {
  return { kind: "group", states: [parts], breaks: breaks(parts) };
}

/** With every line of its own broken. */
export function broken(...parts: readonly Doc[]): Doc {
  return { kind: "group", states: [parts], breaks: true };
}

/** The first of several forms that fits; what breaks in one says nothing of the others. */
export function firstFitting(states: readonly Doc[]): Doc {
  return { kind: "group", states, breaks: false };
}

export function whereBroken(whenBroken: Doc, whenFlat: Doc = ""): Doc {
  return { kind: "choice", broken: whenBroken, flat: whenFlat };
}

/** After a space, or on the next line where not even its beginning fits. */
export function following(doc: Doc): Doc {
  return { kind: "following", doc, breaks: breaks(doc) };
}

export function separated(parts: readonly Doc[], separator: Doc): Doc {
  return parts.flatMap((part, at) => (at === 0 ? [part] : [separator, part]));
}

/** Whether it cannot stand on one line. */
export function breaks(doc: Doc): boolean {
  if (typeof doc === "string") return false;
  if (isList(doc)) return doc.some(breaks);
  if (doc.kind === "line") return doc.flat === undefined;
  return doc.kind !== "choice" && doc.breaks;
}

interface Command {
  readonly indent: number;
  readonly flat: boolean;
  readonly doc: Doc;
}

/** The text of a document in lines of `width` columns, where that is possible. */
export function printed(document: Doc, width: number): string {
  const text: string[] = [];
  let column = 0;
  // Spaces that stand before what comes next; empty lines have none.
  let ahead = 0;
  const commands: Command[] = [{ indent: 0, flat: false, doc: document }];
  for (let command = commands.pop(); command !== undefined; command = commands.pop()) {
    const { indent, flat, doc } = command;
    if (typeof doc === "string") {
      if (doc === "") continue;
      if (ahead > 0) text.push(" ".repeat(ahead));
      text.push(doc);
      ahead = 0;
      column += doc.length;
    } else if (isList(doc)) {
      for (let at = doc.length - 1; at >= 0; at--) commands.push({ indent, flat, doc: doc[at] ?? "" });
    } else if (doc.kind === "line") {
      if (flat && doc.flat !== undefined) {
        text.push(doc.flat);
        column += doc.flat.length;
      } else {
        text.push("\n");
        ahead = indent;
        column = indent;
      }
    } else if (doc.kind === "indented") {
      commands.push({ indent: indent + 2, flat, doc: doc.doc });
    } else if (doc.kind === "choice") {
      commands.push({ indent, flat, doc: flat ? doc.flat : doc.broken });
    } else if (doc.kind === "following") {
      const after = { indent, flat, doc: doc.doc };
      if (flat || fits({ indent, flat: true, doc: " " }, [...commands, after], width - column))
        commands.push(after, { indent, flat, doc: " " });
      else commands.push({ indent, flat, doc: indented(hardLine, doc.doc) });
    } else {
      const fitting = doc.breaks
        ? undefined
        : doc.states.find(
            (state, at) =>
              (flat && at === 0) || fits({ indent, flat: true, doc: state }, commands, width - column),
          );
      commands.push(
        fitting === undefined
          ? { indent, flat: false, doc: doc.states.at(-1) ?? "" }
          : { indent, flat: true, doc: fitting },
      );
    }
  }
  return text.join("");
}

/** Whether it fits with what follows, up to the next line that may end there. */
function fits(first: Command, rest: readonly Command[], columns: number): boolean {
  const commands = [first];
  let left = columns;
  for (let next = rest.length; left >= 0; ) {
    const command = commands.pop() ?? rest[--next];
    if (command === undefined) return true;
    const { indent, flat, doc } = command;
    if (typeof doc === "string") left -= doc.length;
    else if (isList(doc)) {
      for (let at = doc.length - 1; at >= 0; at--) commands.push({ indent, flat, doc: doc[at] ?? "" });
    } else if (doc.kind === "line") {
      if (!flat || doc.flat === undefined) return true;
      left -= doc.flat.length;
    } else if (doc.kind === "choice") commands.push({ indent, flat, doc: flat ? doc.flat : doc.broken });
    else if (doc.kind === "following") {
      if (!flat) return true;
      commands.push({ indent, flat, doc: [" ", doc.doc] });
    } else if (doc.kind === "indented") commands.push({ indent, flat, doc: doc.doc });
    else {
      const isFlat = flat && !doc.breaks;
      commands.push({ indent, flat: isFlat, doc: doc.states.at(isFlat ? 0 : -1) ?? "" });
    }
  }
  return false;
}

function isList(doc: Doc): doc is readonly Doc[] {
  return Array.isArray(doc);
}
