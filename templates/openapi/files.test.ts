/** Files in OpenAPI documents. */
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { OpenAPIV3_1 } from "openapi-types";
import { beforeAll, expect, test } from "vitest";
import { analyse } from "../../compiler/pipeline.ts";
import { claimedTypes } from "../../runtime/contract/files.ts";
import { isJsonObject, type JsonValue } from "../../runtime/json.ts";
import { openapiDocument } from "./document.ts";
import { desk } from "./testing/desk.ts";

/** A configuration with a file and an array of them. */
const config = fileURLToPath(new URL("../../compiler/check/testdata/valid-files/config", import.meta.url));

/** One with a field that takes uploads of every kind. */
const fort = fileURLToPath(new URL("../../scripts/security/config", import.meta.url));

const field = "/v1/desk/support/tickets/{id}/_files";
const administered = "/v1/desk/_admin/data/support/tickets/{id}/_files";

let document: OpenAPIV3_1.Document;
beforeAll(async () => {
  const { realms } = await analyse(config);
  const [only] = realms;
  if (only === undefined) throw new Error("no realm");
  document = openapiDocument(only.realm, only.rules);
});

function operation(way: "post" | "get" | "delete", path: string): OpenAPIV3_1.OperationObject {
  const found = document.paths?.[path]?.[way];
  if (found === undefined) throw new Error(`no ${way} ${path}`);
  return found;
}

/** What stands at a path of the document, `$ref`s on the way and at its end followed. */
function at(value: unknown, ...path: readonly string[]): JsonValue {
  let found: JsonValue = JSON.parse(JSON.stringify(value ?? null));
  if (isJsonObject(found) && typeof found.$ref === "string")
    found = at(document, ...found.$ref.slice(2).split("/"));
  const [step, ...rest] = path;
  return step === undefined ? found : at(isJsonObject(found) ? found[step] : null, ...rest);
}

/** The codes that an operation answers with a status. */
function codesOf(of: OpenAPIV3_1.OperationObject, status: string): readonly string[] {
  const description = at(of, "responses", status, "description");
  return [...String(description).matchAll(/^`(\w+)`:/gm)].map(([, code = ""]) => code);
}

function keysAt(value: unknown, ...path: readonly string[]): readonly string[] {
  const found = at(value, ...path);
  return isJsonObject(found) ? Object.keys(found) : [];
}

test("the document is valid OpenAPI 3.1", async () => {
  expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
});

test("each field has its own uploads, download and removal, of clients and of administrators", () => {
  const ids = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    path.includes("/_files/") && !path.endsWith("/{signed}")
      ? (["post", "get", "delete"] as const).flatMap((way) => {
          const id = item?.[way]?.operationId;
          return id === undefined ? [] : [`${way} ${path} ${id}`];
        })
      : [],
  );
  expect(ids).toEqual([
    `post ${field}/attachments uploadSupportTicketsAttachments`,
    `post ${field}/attachments/_uploads startSupportTicketsAttachmentsUpload`,
    `post ${field}/attachments/_uploads/{upload}/complete completeSupportTicketsAttachmentsUpload`,
    `get ${field}/attachments/{file} downloadSupportTicketsAttachments`,
    `delete ${field}/attachments/{file} removeSupportTicketsAttachments`,
    `post ${field}/photo uploadSupportTicketsPhoto`,
    `get ${field}/photo/{file} downloadSupportTicketsPhoto`,
    `delete ${field}/photo/{file} removeSupportTicketsPhoto`,
    `post ${administered}/attachments adminDataUploadSupportTicketsAttachments`,
    `post ${administered}/attachments/_uploads adminDataStartSupportTicketsAttachmentsUpload`,
    `post ${administered}/attachments/_uploads/{upload}/complete adminDataCompleteSupportTicketsAttachmentsUpload`,
    `get ${administered}/attachments/{file} adminDataDownloadSupportTicketsAttachments`,
    `delete ${administered}/attachments/{file} adminDataRemoveSupportTicketsAttachments`,
    `post ${administered}/photo adminDataUploadSupportTicketsPhoto`,
    `get ${administered}/photo/{file} adminDataDownloadSupportTicketsPhoto`,
    `delete ${administered}/photo/{file} adminDataRemoveSupportTicketsPhoto`,
  ]);
});

test("uploads take bytes of the accepted types, with their name and digest, and answer the file object", () => {
  const upload = operation("post", `${field}/photo`);
  const bytes = { schema: { $ref: "#/components/schemas/FileBytes" } };
  const types = ["application/octet-stream", "image/png", "image/jpeg", "image/webp"];
  expect(at(upload, "requestBody", "content")).toEqual({
    ...Object.fromEntries(types.map((type) => [type, bytes])),
    "multipart/form-data": {
      schema: { $ref: "#/components/schemas/FileForm" },
      encoding: { file: { contentType: types.join(", ") } },
    },
  });
  const names = (upload.parameters ?? []).map((each) => at(each, "name"));
  expect(names).toEqual(["replace", "If-Match", "If-None-Match", "X-Svc-Filename", "Content-Digest"]);
  expect(at(upload, "responses", "201", "content", "application/json", "schema", "required")).toEqual(
    expect.arrayContaining(["id", "name", "type", "size", "sha256", "created_at"]),
  );
  expect(keysAt(upload, "responses", "201", "headers")).toEqual(["X-Request-ID", "ETag", "Location"]);
  expect(upload.description).toContain("Files of image/png, image/jpeg, image/webp, of at most 5MiB");
});

test("the first type of an upload is one that the server takes, whatever the file is", () => {
  const first = (accept: readonly string[]) => claimedTypes({ accept })[0];
  expect(first(["application/pdf"])).toBe("application/pdf");
  for (const accept of [["*/*"], ["image/*"], ["image/png", "image/jpeg"]]) {
    expect(first(accept)).toBe("application/octet-stream");
  }
  expect(keysAt(operation("post", `${field}/attachments`), "requestBody", "content")).toEqual([
    "application/octet-stream",
    "*/*",
    "multipart/form-data",
  ]);
});

test("what is uploaded otherwise is taken up to 1 MiB, and more is another mode's", () => {
  const upload = operation("post", `${field}/attachments`);
  expect(upload.description).toContain("Files of any type, of at most 1MiB, 10 in each document.");
  expect(codesOf(upload, "409")).toContain("upload_mode_mismatch");
  expect(codesOf(operation("post", `${field}/photo`), "409")).not.toContain("upload_mode_mismatch");
});

test("uploads answer each error of a page about files", () => {
  const upload = operation("post", `${field}/photo`);
  const codes = (status: string): readonly string[] => codesOf(upload, status);
  expect(codes("409")).toEqual(["too_many_files", "write_conflict"]);
  expect(codes("413")).toEqual(["payload_too_large", "quota_exceeded"]);
  expect(codes("415")).toEqual(["unsupported_file_type", "unsupported_media_type"]);
  expect(codes("422")).toEqual(["invalid_image", "upload_mismatch"]);
  expect(codes("503")).toContain("storage_unavailable");
});

test("direct uploads are begun with what the file is, and completed; a bucket takes the bytes itself", () => {
  const begin = operation("post", `${field}/attachments/_uploads`);
  const said = ["requestBody", "content", "application/json", "schema", "properties"];
  expect(keysAt(begin, ...said)).toEqual(["name", "type", "size", "sha256"]);
  expect(begin.description).toContain("Of at most 50MiB.");
  expect(codesOf(begin, "413")).toEqual(["payload_too_large", "quota_exceeded"]);
  expect(codesOf(begin, "429")).toEqual(["too_many_requests"]);
  const complete = operation("post", `${field}/attachments/_uploads/{upload}/complete`);
  expect(codesOf(complete, "409")).toEqual(["file_not_uploaded", "too_many_files", "write_conflict"]);
  expect(codesOf(complete, "422")).toEqual(["invalid_image", "upload_mismatch"]);
  // The bucket takes the bytes.
  expect(keysAt(document.paths, "/v1/desk/_files/{signed}")).not.toContain("put");
});

test("resumable uploads are described where they are served, with the headers of the protocol", async () => {
  expect(keysAt(document, "paths").filter((path) => path.includes("/_tus"))).toEqual([]);
  const { realms } = await analyse(fort);
  const [only] = realms;
  if (only === undefined) throw new Error("no realm");
  const { paths = {}, components } = openapiDocument(only.realm, only.rules);
  for (const way of ["/v1/fort/main", "/v1/fort/_admin/data/main"]) {
    const field = `${way}/papers/{id}/_files/film/_tus`;
    expect(Object.keys(paths[field] ?? {}).sort()).toEqual(["parameters", "post"]);
    expect(Object.keys(paths[`${field}/{upload}`] ?? {}).sort()).toEqual([
      "delete",
      "get",
      "parameters",
      "patch",
    ]);
  }
  const sending = paths["/v1/fort/main/papers/{id}/_files/film/_tus/{upload}"]?.patch;
  expect(JSON.stringify(sending?.requestBody)).toContain("application/offset+octet-stream");
  expect(JSON.stringify(sending?.parameters)).toMatch(/TusResumable.*UploadOffset.*UploadChecksum/);
  expect(Object.keys(sending?.responses ?? {})).toEqual(
    expect.arrayContaining(["204", "404", "409", "412", "413", "415", "423", "460"]),
  );
  const [done] = Object.values(components?.responses ?? {}).filter((each) =>
    JSON.stringify(each).includes("With the last of them"),
  );
  expect(JSON.stringify(done)).toContain("X-Svc-File");
});

test("downloads answer bytes, whole and in parts, with what tells them from others", () => {
  const download = operation("get", `${field}/photo/{file}`);
  const parameters = (of: OpenAPIV3_1.OperationObject) =>
    (of.parameters ?? []).map((each) => at(each, "name"));
  const parts = ["redirect", "Range", "If-Range", "If-None-Match"];
  expect(parameters(download)).toEqual(["version", ...parts]);
  expect(at(download.parameters?.[0], "schema")).toEqual({ type: "string", enum: ["large", "thumb"] });
  expect(parameters(operation("get", `${field}/attachments/{file}`))).toEqual(parts);
  expect(keysAt(download, "responses")).toEqual(
    expect.arrayContaining(["200", "206", "302", "304", "404", "416"]),
  );
  expect(keysAt(download, "responses", "206", "headers")).toEqual(
    expect.arrayContaining(["ETag", "Accept-Ranges", "Content-Range", "Content-Disposition"]),
  );
  expect(keysAt(download, "responses", "200", "content")).toEqual(["*/*"]);
  expect(codesOf(download, "416")).toEqual(["range_not_satisfiable"]);
  expect(keysAt(download, "responses", "416", "headers")).toContain("Content-Range");
});

test("documents and lists take file_links, and version by the names that the collection has", () => {
  const tickets = "/v1/desk/support/tickets";
  for (const path of [tickets, `${tickets}/{id}`, "/v1/desk/_admin/data/support/tickets"]) {
    const parameters = operation("get", path).parameters ?? [];
    const named = new Map(parameters.map((each) => [at(each, "name"), each]));
    expect(at(named.get("file_links"), "schema")).toEqual({ type: "boolean", default: false });
    expect(at(named.get("version"), "schema")).toEqual({ type: "string", enum: ["large", "thumb"] });
  }
  expect(at(document, "components", "schemas", "FileObject", "properties", "url", "type")).toEqual([
    "string",
    "null",
  ]);
});

test("links are opened without a credential, with the answers of downloads and invalid_file_link", () => {
  const open = operation("get", "/v1/desk/_files/{signed}");
  expect(open.security).toEqual([]);
  expect(codesOf(open, "403")).toEqual(["invalid_file_link"]);
  expect(codesOf(open, "404")).toEqual(["file_missing", "not_found", "version_unavailable"]);
  const download = operation("get", `${field}/photo/{file}`);
  for (const status of ["200", "206", "304", "416"])
    expect(at(open, "responses", status)).toEqual(at(download, "responses", status));
  expect((open.parameters ?? []).map((each) => at(each, "name"))).toEqual(
    expect.arrayContaining(["Range", "If-Range", "If-None-Match"]),
  );
});

test("documents have the file object, or an array of them, and what is written has none", () => {
  const schemas = (name: string): readonly string[] =>
    keysAt(document, "components", "schemas", name, "properties");
  const file = { $ref: "#/components/schemas/FileObject" };
  expect(at(document, "components", "schemas", "SupportTicketsDocument", "properties")).toMatchObject({
    photo: file,
    attachments: { type: "array", items: file },
  });
  expect(schemas("SupportTicketsInput")).toEqual(["title", "author_id", "due_at"]);
});

test("where asks of a file whether it is there, and of its size, type, name, sides and time what they are", () => {
  const where = at(document, "components", "schemas", "SupportTicketsWhere");
  const asked = JSON.stringify(where);
  for (const member of ["size", "type", "name", "width", "height", "created_at"])
    expect(asked).toContain(`"photo.${member}"`);
  for (const member of ["id", "sha256", "versions", "created_by"])
    expect(asked).not.toContain(`"photo.${member}"`);
});

test("realms without files have nothing of them", () => {
  const { realm, rules } = desk();
  const text = JSON.stringify(openapiDocument(realm, rules));
  expect(text).not.toMatch(/_files|FileObject|X-Svc-Filename|storage_unavailable|file_links/);
});

test("a form creates a document with its files, in collections that have fields of files", () => {
  for (const way of ["/v1/desk", "/v1/desk/_admin/data"]) {
    const create = operation("post", `${way}/support/tickets/_form`);
    const form = ["requestBody", "content", "multipart/form-data", "schema"];
    expect(at(create, ...form, "required")).toEqual(["document"]);
    expect(at(create, ...form, "properties")).toEqual({
      document: { $ref: "#/components/schemas/SupportTicketsInput" },
      attachments: { type: "array", items: { $ref: "#/components/schemas/FileBytes" }, maxItems: 10 },
      photo: { $ref: "#/components/schemas/FileBytes" },
    });
    expect(at(create, "requestBody", "content", "multipart/form-data", "encoding")).toEqual({
      attachments: { contentType: "application/octet-stream, */*" },
      photo: { contentType: "application/octet-stream, image/png, image/jpeg, image/webp" },
    });
    expect(at(create, "responses", "201")).toEqual(
      at(operation("post", `${way}/support/tickets`), "responses", "201"),
    );
    expect(codesOf(create, "413")).toEqual(["payload_too_large", "quota_exceeded"]);
    expect(codesOf(create, "415")).toEqual(["unsupported_file_type", "unsupported_media_type"]);
    expect(codesOf(create, "409")).toEqual(
      expect.arrayContaining(["too_many_files", "upload_mode_mismatch"]),
    );
  }
  const { realm, rules } = desk();
  expect(JSON.stringify(openapiDocument(realm, rules))).not.toContain("/_form");
});
