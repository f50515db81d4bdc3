/** Addresses of files that need no credential, for a while (files.md, The file object). */
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { define } from "../../merge-patch.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import { storeNameOf } from "../../realm/definition.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { versionedTypes } from "../../realm/files.ts";
import type { AskedLinks } from "../query/judges.ts";
import { stateOf } from "./states.ts";

/** Milliseconds. */
export const linkLifetime = 600_000;

/** What a link leads to: a file with just this content, in a document's field, until a time. */
export interface Link {
  /** As the store has it. */
  readonly collection: string;
  readonly document: string;
  readonly field: string;
  readonly file: string;
  readonly sha256: string;
  /** Of an image; empty: the file itself. */
  readonly version: string;
  /** Epoch milliseconds. */
  readonly expires: number;
}

/** Signed along with every link. */
const context = "file";

type Linking = Pick<RealmInstance, "definition" | "clock" | "files">;

/** The path of a link. */
function addressOf({ definition, files }: Linking, link: Link): string | null {
  if (files === undefined) return null;
  const { collection, document, field, file, sha256, version, expires } = link;
  const payload = JSON.stringify([collection, document, field, file, sha256, version, expires]);
  return `/v1/${definition.name}/_files/${files.links.sign(payload, context)}`;
}

/** What a link leads to; undefined for one that was changed, made up or signed by a key that is gone, and when its time is over. */
export function openLink({ clock, files }: Linking, token: string): Link | undefined {
  const text = files?.links.open(token, context);
  if (text === undefined) return undefined;
  const [collection, document, field, file, sha256, version, expires] = JSON.parse(text);
  const link: Link = { collection, document, field, file, sha256, version, expires };
  return link.expires > clock.now() ? link : undefined;
}

/** Adds `url` to the files in the text of a document, as far as a caller sees them. */
export type AddLinks = (id: string, text: string, asked: AskedLinks) => string;

export function linkAdder(realm: Linking, definition: CollectionDefinition): AddLinks {
  const { files = [] } = definition;
  const collection = storeNameOf(definition);
  return (document, text, { version = "" }) => {
    const members: JsonObject = JSON.parse(text);
    const expires = realm.clock.now() + linkLifetime;
    for (const { name: field, versions: declared = {} } of files) {
      const isDeclared = version === "" || Object.hasOwn(declared, version);
      const held = Object.hasOwn(members, field) ? members[field] : undefined;
      const linked = (value: JsonValue): JsonValue => {
        if (!isJsonObject(value)) return value;
        const { id: file, sha256, type } = value;
        if (typeof file !== "string" || typeof sha256 !== "string") return value;
        const isReady =
          version === "" || (isVersioned(type) && (stateOf(value, version) ?? "ready") === "ready");
        const link = { collection, document, field, file, sha256, version, expires };
        return { ...value, url: isDeclared && isReady ? addressOf(realm, link) : null };
      };
      if (held !== undefined) define(members, field, Array.isArray(held) ? held.map(linked) : linked(held));
    }
    return JSON.stringify(members);
  };
}

function isVersioned(type: JsonValue | undefined): boolean {
  return versionedTypes.some((image) => image === type);
}

/** The headers of an answer with links: nobody keeps it. */
export const linkedCaching = { "cache-control": "private, no-store" };
