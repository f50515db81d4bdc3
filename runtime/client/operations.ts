/** What a batch does, as types: of clients, and of handlers of functions. */
import type { IfTrait, Shape } from "./queries.ts";

/** The shapes of a database's collections, by name. */
export type ShapesByName = Record<string, Shape>;

/** What a batch can do; `if_match` is a version, or `*`. */
export type BatchOperation<All extends ShapesByName> = {
  [Name in keyof All & string]:
    | ({ op: "create"; collection: Name; document: All[Name]["content"] } & IfTrait<
        All[Name],
        "custom_id",
        { id: string },
        unknown
      >)
    | { op: "replace"; collection: Name; id: string; document: All[Name]["content"]; if_match?: string }
    | { op: "patch"; collection: Name; id: string; patch: All[Name]["patch"]; if_match?: string }
    | { op: "delete"; collection: Name; id: string; if_match?: string };
}[keyof All & string];

/** One for each operation: the document as it is then, or the id of one that was deleted. */
export type BatchResults<All extends ShapesByName, Operations extends readonly BatchOperation<All>[]> = {
  -readonly [At in keyof Operations]: Operations[At] extends { op: "delete" }
    ? { id: string }
    : All[Operations[At]["collection"]]["document"];
};
