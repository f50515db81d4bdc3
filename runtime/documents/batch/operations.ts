import { ApiError, type Detail } from "../../errors.ts";
import type { JsonBody } from "../../http/body.ts";
import { type Condition, readBatchIfMatch } from "../../http/etag.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { type Draft, draftOf } from "../draft.ts";

/** One operation of a batch, its members of the right types. */
export type Operation =
  | { readonly op: "create"; readonly collection: string; readonly draft: Draft }
  | {
      readonly op: "replace" | "patch";
      readonly collection: string;
      readonly target: Target;
      readonly draft: Draft;
    }
  | { readonly op: "delete"; readonly collection: string; readonly target: Target };

interface Target {
  readonly id: string;
  readonly visibility: "live";
  readonly condition: Condition | undefined;
}

const most = 100;
const detailsNamed = 100;

/** The members that each kind of operation takes, beside `op` and `collection`. */
const membersOf: Readonly<Record<Operation["op"], readonly string[]>> = {
  create: ["document", "id"],
  replace: ["document", "id", "if_match"],
  patch: ["patch", "id", "if_match"],
  delete: ["id", "if_match"],
};

/**
 * Reads the body of a batch (spec: Batch request).
 * @throws ApiError `validation_error` naming all malformed members, else `invalid_header` for a malformed `if_match`
 */
export function readOperations(body: JsonBody): readonly Operation[] {
  const { operations, ...others } = body.value;
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > most) {
    throw invalid([{ path: "operations", reason: `must be an array of 1 to ${most} operations` }]);
  }
  const found: Found = { members: [], conditions: [] };
  for (const path of Object.keys(others)) found.members.push({ path, reason: "is not allowed" });
  const read = operations.map((operation, at) => new OperationReader(at, found).read(operation, body));
  if (found.members.length > 0) throw invalid(found.members);
  if (found.conditions.length > 0) {
    throw new ApiError("invalid_header", "An if_match is malformed.", { details: found.conditions });
  }
  return read.filter((operation) => operation !== undefined);
}

function invalid(details: readonly Detail[]): ApiError {
  return new ApiError("validation_error", "The batch is malformed.", {
    details: details.slice(0, detailsNamed),
  });
}

/** What is malformed, by the code that it answers. */
interface Found {
  readonly members: Detail[];
  readonly conditions: Detail[];
}

/** Reads one operation; what is wrong with it is added to what was found. */
class OperationReader {
  readonly #at: number;
  readonly #found: Found;

  constructor(at: number, found: Found) {
    this.#at = at;
    this.#found = found;
  }

  read(value: JsonValue, body: JsonBody): Operation | undefined {
    if (!isJsonObject(value)) return this.#refuse("", "must be an object");
    const { op, collection } = value;
    if (typeof collection !== "string") this.#refuse("collection", "must be a string");
    if (!isKind(op)) return this.#refuse("op", "must be create, replace, patch or delete");
    this.#refuseOthers(op, value);
    const target = op === "create" ? undefined : this.#target(value);
    const draft =
      op === "delete" ? undefined : this.#draft(op === "patch" ? "patch" : "document", value, body);
    if (typeof collection !== "string") return undefined;
    if (op === "create") {
      if (draft === undefined) return undefined;
      return { op, collection, draft: { ...draft, id: this.#idOf(value, draft) } };
    }
    if (op === "delete") return target && { op, collection, target };
    return target && draft && { op, collection, target, draft };
  }

  #refuse(member: string, reason: string): undefined {
    this.#found.members.push({ path: member === "" ? String(this.#at) : `${this.#at}.${member}`, reason });
  }

  #refuseOthers(op: Operation["op"], value: JsonObject): void {
    for (const name in value) {
      if (name === "op" || name === "collection" || membersOf[op].includes(name)) continue;
      this.#refuse(name, `is not allowed in a ${op}`);
    }
  }

  #target({ id, if_match }: JsonObject): Target | undefined {
    const condition = this.#condition(if_match);
    if (typeof id !== "string") return this.#refuse("id", "must be a string");
    return { id, visibility: "live", condition };
  }

  /** Of a create: beside its document or in it. */
  #idOf({ id }: JsonObject, draft: Draft): JsonValue | undefined {
    if (id === undefined) return draft.id;
    if (draft.id !== undefined && draft.id !== id) this.#refuse("id", "differs from the id in document");
    return id ?? draft.id;
  }

  #condition(value: JsonValue | undefined): Condition | undefined {
    if (value === undefined) return undefined;
    if (typeof value !== "string") return this.#refuse("if_match", "must be a string");
    const match = readBatchIfMatch(value);
    if (match !== undefined) return { match };
    const reason = 'must be a version such as 3 or "3", a list of them, or *';
    this.#found.conditions.push({ path: `${this.#at}.if_match`, reason });
    return undefined;
  }

  #draft(member: "document" | "patch", value: JsonObject, { problems, large }: JsonBody): Draft | undefined {
    const content = value[member];
    if (!isJsonObject(content)) return this.#refuse(member, "must be an object");
    const place = `operations.${this.#at}.${member}.`;
    const inside = problems.filter(({ path }) => path.startsWith(place));
    return draftOf(content, {
      problems: inside.map(({ path, reason }) => ({ path: path.slice(place.length), reason })),
      large,
    });
  }
}

function isKind(op: JsonValue | undefined): op is Operation["op"] {
  return typeof op === "string" && Object.hasOwn(membersOf, op);
}
