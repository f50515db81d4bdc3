import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";

const image = "photo: { accept: [image/png, image/jpeg]";

/** What can be wrong with `files` of collection.yaml. */
export const codes = {
  "files-without-storage": {
    severity: "error",
    summary: "The setting files in a realm without storage.",
    message: "files need storage, and realm.yaml declares none",
    hint: "add storage: { driver: local } to realm.yaml",
    explanation: "`storage` in realm.yaml says where the bytes of files are kept.",
    wrong: {
      "realm.yaml": "auth: enabled",
      "collection.yaml": `files:\n  ${image} }`,
    },
    right: {
      "realm.yaml": "auth: enabled\nstorage: { driver: local }",
      "collection.yaml": `files:\n  ${image} }`,
    },
  },
  "file-name-taken": {
    severity: "error",
    summary: "A file field has a name that documents have for something else.",
    message: "'{name}' cannot be the name of a file field: {problem}",
    hint: "give the file field another name",
    explanation:
      "The file object stands in documents under the name of its field, so that nothing else can stand there: no field that schema.json declares, no reference, and nothing of the server's own.",
    wrong: { "collection.yaml": "files:\n  title: { accept: [image/png] }" },
    right: { "collection.yaml": "files:\n  cover: { accept: [image/png] }" },
  },
  "file-required": {
    severity: "error",
    summary: "A file field that schema.json requires.",
    message: "'{name}' is a file field, which no body of a document has: nothing could be created",
    hint: "do not require it there; write required: true in files.{name}",
    explanation:
      "schema.json says what bodies hold, and files come by routes of their own. `required: true` of the field in `files` has documents created with a file, by `POST …/_form`.",
    wrong: {
      "schema.json": '{ "type": "object", "required": ["photo"] }',
      "collection.yaml": `files:\n  ${image} }`,
    },
    right: {
      "schema.json": '{ "type": "object" }',
      "collection.yaml": `files:\n  ${image}, required: true }`,
    },
  },
  "file-required-upload": {
    severity: "warning",
    summary: "A required file of a field whose larger files come when there is a document already.",
    message:
      "documents are created with a file of '{name}', of 1MiB at most, since larger ones come by upload: {upload}",
    hint: "write upload: any or upload: proxy, or lower max_size to 1MiB",
    explanation:
      "A document that needs a file is created by a form, through the server. Direct and resumable uploads are into a document that is there; they exchange the file then, with `?replace=true`.",
    wrong: {
      "collection.yaml":
        "files:\n  film: { accept: [video/mp4], max_size: 50MiB, upload: direct, required: true }",
    },
    right: {
      "collection.yaml":
        "files:\n  film: { accept: [video/mp4], max_size: 50MiB, upload: any, required: true }",
    },
  },
  "file-type": {
    severity: "error",
    summary: "An entry of accept is no media type.",
    message: "'{type}' is no media type: {problem}",
    explanation:
      "Entries are `type/subtype`, `type/*` or `*/*`, in small letters and without parameters. Nothing else can be what the bytes of a file are found to be.",
    wrong: { "collection.yaml": "files:\n  photo: { accept: [png] }" },
    right: { "collection.yaml": "files:\n  photo: { accept: [image/png] }" },
  },
  "file-type-unusual": {
    severity: "warning",
    summary: "An entry of accept that looks like a slip for another media type.",
    message: "no file is found to be of the type '{type}'",
    explanation:
      "What a file is, is found out from its bytes and named by its registered type. An entry that is nearly such a name lets nothing in.",
    wrong: { "collection.yaml": "files:\n  photo: { accept: [image/jpg] }" },
    right: { "collection.yaml": "files:\n  photo: { accept: [image/jpeg] }" },
  },
  "file-type-covered": {
    severity: "warning",
    summary: "An entry of accept that another one covers.",
    message: "'{type}' is taken already, by '{other}'",
    hint: "remove one of the two",
    explanation:
      "A type beside the wildcard that holds it says nothing. Often the wildcard is wider than it was meant.",
    wrong: { "collection.yaml": "files:\n  photo: { accept: ['image/*', image/png] }" },
    right: { "collection.yaml": "files:\n  photo: { accept: [image/png] }" },
  },
  "file-versions-without-image": {
    severity: "error",
    summary: "Versions of a file field that takes no image that versions are made of.",
    message: "versions are made of images, and '{name}' accepts none that they are made of",
    hint: "accept one of image/avif, image/gif, image/jpeg, image/png, image/tiff and image/webp, or remove versions",
    explanation:
      "Versions are images in other sizes. They are made of pixels; drawings (`image/svg+xml`) and formats that are not decoded have none.",
    wrong: {
      "collection.yaml":
        "files:\n  report: { accept: [application/pdf], versions: { thumb: { width: 200 } } }",
    },
    right: {
      "collection.yaml": "files:\n  report: { accept: [image/png], versions: { thumb: { width: 200 } } }",
    },
  },
  "file-version-side": {
    severity: "error",
    summary: "A version of an image without a side.",
    message: "the version '{version}' needs width, height or both",
    explanation: "A version is the image fitted into a box, whose one side at least must be known.",
    wrong: { "collection.yaml": `files:\n  ${image}, versions: { thumb: { fit: cover } } }` },
    right: {
      "collection.yaml": `files:\n  ${image}, versions: { thumb: { width: 200, height: 200, fit: cover } } }`,
    },
  },
  "file-version-fit": {
    severity: "warning",
    summary: "A version of an image with fit and one side only.",
    message: "'fit: {fit}' has no effect on the version '{version}', which has no {side}",
    hint: "give it both sides, or remove fit",
    explanation:
      "With one side the other follows from the image, so that there is nothing to cut off or to fill.",
    wrong: { "collection.yaml": `files:\n  ${image}, versions: { thumb: { width: 200, fit: cover } } }` },
    right: { "collection.yaml": `files:\n  ${image}, versions: { thumb: { width: 200 } } }` },
  },
  "file-size-proxy": {
    severity: "warning",
    summary:
      "A max_size beyond what servers take unless they are told to, in a field that is uploaded through them.",
    message:
      "files up to {size} can be uploaded only through the server, which takes {limit} unless SVC_MAX_UPLOAD_BYTES says more",
    hint: "set SVC_MAX_UPLOAD_BYTES where it runs, lower max_size, or let it be uploaded otherwise: upload: direct",
    explanation:
      "`SVC_MAX_UPLOAD_BYTES` bounds uploads through an instance, whatever the configuration says. An instance on which it is less than `max_size` of a field with `upload: proxy` does not start.",
    wrong: { "collection.yaml": "files:\n  film: { accept: [video/mp4], max_size: 1GiB }" },
    right: {
      "collection.yaml": "files:\n  film: { accept: [video/mp4], max_size: 1GiB, upload: resumable }",
    },
  },
  "file-size-direct": {
    severity: "error",
    summary: "A max_size beyond what can be uploaded directly into a bucket.",
    message: "a direct upload into a bucket takes 5GiB at most, and files of '{name}' may have {size}",
    hint: "write upload: resumable or upload: any, or lower max_size",
    explanation: "Servers that speak S3 take no more in one request.",
    wrong: {
      "realm.yaml": "auth: enabled\nstorage: { driver: s3, bucket: acme-files, region: eu-central-1 }",
      "collection.yaml": "files:\n  film: { accept: [video/mp4], max_size: 20GiB, upload: direct }",
    },
    right: {
      "realm.yaml": "auth: enabled\nstorage: { driver: s3, bucket: acme-files, region: eu-central-1 }",
      "collection.yaml": "files:\n  film: { accept: [video/mp4], max_size: 20GiB, upload: any }",
    },
  },
  "file-size-quota": {
    severity: "warning",
    summary: "A max_size that a quota never leaves room for.",
    message: "files up to {size} never fit: {quota} of realm.yaml is {limit}",
    hint: "lower max_size, or raise {quota}",
    explanation: "A file that is larger than the whole quota is refused by it, whatever `max_size` says.",
    wrong: {
      "realm.yaml": "auth: enabled\nstorage: { driver: local, quota: 5MiB }",
      "collection.yaml": `files:\n  ${image}, max_size: 10MiB }`,
    },
    right: {
      "realm.yaml": "auth: enabled\nstorage: { driver: local, quota: 1GiB }",
      "collection.yaml": `files:\n  ${image}, max_size: 10MiB }`,
    },
  },
} as const satisfies Codes;

export const diagnose = diagnoser(codes);
