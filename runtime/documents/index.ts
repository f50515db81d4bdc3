/** What emitted modules and the server import of documents. */
export { dateNormalizer } from "./dates.ts";
export { idGenerator } from "./ids.ts";
export { batchRoute } from "./routes/batch.ts";
export { createDocument } from "./routes/create.ts";
export { deleteDocument, softDeleteDocument } from "./routes/delete.ts";
export { getDocument } from "./routes/get.ts";
export { listDocuments } from "./routes/list.ts";
export { restoreDocument } from "./routes/restore.ts";
export { patchDocument, replaceDocument } from "./routes/update.ts";
export { documentCollections } from "./shapes.ts";
