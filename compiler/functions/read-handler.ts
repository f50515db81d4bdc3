/** The files of a handler: handler.ts and what it imports of the realm, and what in that cannot be. */
import { isUtf8 } from "node:buffer";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { ts } from "@ts-morph/common";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Span, Staged } from "../diagnostics/diagnostic.ts";
import { fileSpan } from "../diagnostics/span.ts";
import type { Handler, HandlerFile } from "../model/model.ts";
import { isInside } from "../source/folders.ts";
import { lineStartsOf, spanOf } from "../source/source.ts";
import { allowedInWords, isAllowed, nodeModule } from "./modules.ts";

/** Where a realm's files are. */
export interface RealmPlace {
  /** The configuration folder. */
  readonly root: string;
  /** The realm's folder, free of symbolic links. */
  readonly realPath: string;
  readonly realm: string;
}

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_FILES = 500;

/** @param folder of the function, relative to the configuration folder */
export function readHandler(folder: string, place: RealmPlace): Staged<Handler | undefined> {
  const path = `${folder}/handler.ts`;
  const kind = kindOf(path, place);
  if (kind !== "file") {
    const [name = ""] = folder.split("/").slice(-1);
    const problem = kind === "folder" ? "what is called so is a folder" : "there is no handler.ts";
    // Of a link that leads elsewhere, that is told.
    const missing = diagnose("missing-handler", fileSpan(path), { function: name, problem });
    return { value: undefined, diagnostics: kind === "outside" ? [] : [missing] };
  }
  return readCode(path, place);
}

/**
 * A module of the realm with the files of the realm that it imports.
 * @param hint what there is in the place of Node's modules that it cannot have
 */
export function readCode(path: string, place: RealmPlace, hint?: string): Staged<Handler> {
  const files = new Map<string, HandlerFile>();
  const diagnostics: Diagnostic[] = [];
  const waiting = [path];
  for (const next of waiting) {
    if (files.has(next) || files.size >= MAX_FILES) continue;
    const text = readText(next, place, diagnostics);
    if (text === undefined) continue;
    const imports: Record<string, string> = {};
    files.set(next, { path: next, text, imports });
    if (next.endsWith(".json")) continue;
    const lineStarts = lineStartsOf(text);
    for (const { fileName: specifier, pos, end } of ts.preProcessFile(text, true, true).importedFiles) {
      const found = judge(specifier, next, place, hint);
      if (found.kind === "file") {
        imports[specifier] = found.path;
        waiting.push(found.path);
      } else if (found.kind === "refused") {
        // What is reported begins behind the quote.
        diagnostics.push(found.diagnostic(spanOf({ path: next, lineStarts }, { start: pos, end })));
      }
    }
  }
  return { value: { path, files: [...files.values()] }, diagnostics };
}

/** A specifier of the emitted types, which are there for the type checker alone. */
export function isTypes(specifier: string): boolean {
  return /^\.\/\$types(?:\.[jt]s)?$/.test(specifier);
}

type Judged =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "elsewhere" }
  | { readonly kind: "refused"; readonly diagnostic: (span: Span) => Diagnostic };

function judge(specifier: string, from: string, place: RealmPlace, hint?: string): Judged {
  if (isTypes(specifier)) return { kind: "elsewhere" };
  const builtin = nodeModule(specifier);
  if (builtin !== undefined) {
    if (isAllowed(builtin)) return { kind: "elsewhere" };
    return refused((span) =>
      diagnose("handler-node-module", span, { module: specifier, allowed: allowedInWords }, { hint }),
    );
  }
  if (/^[a-z][a-z0-9+.-]+:|^\/|^[a-z]:\\/i.test(specifier))
    return refused((span) =>
      diagnose("handler-import", span, { specifier, problem: "names no package and no file of the realm" }),
    );
  if (!/^\.\.?(?:\/|$)/.test(specifier)) return { kind: "elsewhere" };
  const path = posix.join(posix.dirname(from), specifier);
  if (!path.startsWith(`${place.realm}/`))
    return refused((span) =>
      diagnose("handler-import", span, { specifier, problem: "leaves the folder of the realm" }),
    );
  for (const candidate of candidates(path)) {
    const kind = kindOf(candidate, place);
    if (kind === "outside")
      return refused((span) =>
        diagnose("handler-import", span, { specifier, problem: "leaves the folder of the realm" }),
      );
    if (kind === "file") return { kind: "file", path: candidate };
  }
  // TypeScript says that there is none.
  return { kind: "elsewhere" };
}

function refused(diagnostic: (span: Span) => Diagnostic): Judged {
  return { kind: "refused", diagnostic };
}

/** `./mail.ts`, `./mail.js` and `./mail` are the same, as for TypeScript. */
function candidates(path: string): readonly string[] {
  const stem = path.replace(/\.m?js$/, "");
  return [path, `${stem}.ts`, `${path}.ts`, `${path}/index.ts`];
}

function kindOf(path: string, { root, realPath }: RealmPlace): "file" | "folder" | "outside" | "none" {
  try {
    const location = realpathSync(join(root, path));
    if (!isInside(location, realPath)) return "outside";
    const status = statSync(location);
    if (status.isDirectory()) return "folder";
    return status.isFile() ? "file" : "none";
  } catch {
    return "none";
  }
}

function readText(path: string, { root }: RealmPlace, diagnostics: Diagnostic[]): string | undefined {
  const bytes = readFileSync(join(root, path));
  if (bytes.length > MAX_FILE_BYTES) {
    diagnostics.push(
      diagnose("file-too-large", fileSpan(path), { size: bytes.length, limit: MAX_FILE_BYTES }),
    );
    return undefined;
  }
  if (!isUtf8(bytes)) {
    diagnostics.push(diagnose("file-encoding", fileSpan(path), { detail: "" }));
    return undefined;
  }
  // Line ends are those of Git's, so that an output depends on no platform.
  return bytes
    .toString("utf8")
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n");
}
