/** `GET /v1/{realm}/_files/{signed}`: what a link leads to, for whoever has it. */
import { parseDocument } from "../documents/encode.ts";
import { openLink } from "../documents/files/links.ts";
import { ApiError } from "../errors.ts";
import { parameters } from "../http/parameters.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type { RouteFactory } from "../realm/exchange.ts";
import { declaredFields } from "./declared.ts";
import { downloading, fileAnswer, fileNamed } from "./download.ts";
import { noSuchFile } from "./errors.ts";
import { storageOf } from "./realm.ts";
import { original, versionOf } from "./version-bytes.ts";

/** As long as links last. */
const cacheControl = "private, max-age=600";

export function linkedFiles(collections: readonly CollectionDefinition[]): RouteFactory {
  return (realm) => {
    const storage = storageOf(realm);
    const { files, organizations, store } = realm;
    if (files === undefined) throw new Error(`realm ${realm.definition.name} has no files`);
    const fieldOf = declaredFields(collections);
    return {
      class: "document",
      manners: downloading,
      async handle(exchange) {
        parameters(exchange.search, []);
        const link = openLink(realm, exchange.params["signed"] ?? "");
        if (link === undefined)
          throw new ApiError("invalid_file_link", "The link is not one of ours, or its time is over.");
        const { collection, document: id, sha256, version } = link;
        const declared = fieldOf(collection, link.field);
        if (declared === undefined) throw noSuchFile();
        const [stored, names, withheld] = await Promise.all([
          store.collection(collection).get(id, "live"),
          files.ledger.read(collection, id),
          organizations?.withheld(),
        ]);
        const document = stored && parseDocument(stored.text);
        const org = document?._meta["org"];
        // Of a deleted organization nothing is seen any more, by nobody.
        const isWithheld = typeof org === "string" && withheld?.has(org) === true;
        if (document === undefined || isWithheld) throw noSuchFile();
        const file = fileNamed(document, declared.field, link.file, names);
        if (file === undefined || file.sha256 !== sha256) throw noSuchFile();
        const bytes =
          version === ""
            ? original(file)
            : await versionOf(realm, storage, declared, { collection, document: id }, file, version);
        return fileAnswer(exchange, storage, file, bytes, cacheControl);
      },
    };
  };
}
