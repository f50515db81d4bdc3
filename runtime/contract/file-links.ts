/** files.md, Routes: links to files, and addresses that uploads are sent to. About all collections of a realm. */
import { contract, type RouteContract } from "./contract.ts";
import { download, downloadErrors, fileBytes, isDirect } from "./files.ts";

export const fileLinksTag = "links to files";

export const openFileLink = contract({
  ...download,
  id: "openFileLink",
  method: "GET",
  path: "/_files/{signed}",
  who: { kind: "anyone" },
  errors: ["invalid_file_link", ...downloadErrors],
  tag: fileLinksTag,
  summary: "Download the file that a link leads to",
  about: "For whoever has the link, 10 minutes long, as long as a live document has the file.",
});

export const sendFile = contract({
  id: "sendFile",
  method: "PUT",
  path: openFileLink.path,
  who: { kind: "anyone" },
  body: { schema: fileBytes, media: "any" },
  answers: { 204: { name: "FileSent", description: "The bytes have come; complete the upload." } },
  errors: ["not_found", "invalid_file_link", "upload_mismatch", "too_many_requests", "storage_unavailable"],
  useful: ({ collections = [], storage }) =>
    storage?.driver.kind === "local" && collections.some(({ files = [] }) => files.some(isDirect)),
  tag: fileLinksTag,
  summary: "Send the bytes of an upload to the address that it was given",
  about:
    "For whoever has the address, once it is begun within 15 minutes. Once more is the same, until it is completed.",
});

/** Of a realm whose documents can have files: about all its collections. */
export const fileLinks: readonly RouteContract[] = [openFileLink, sendFile];
