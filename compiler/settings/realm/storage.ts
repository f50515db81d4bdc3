/** `storage`: where files of documents are kept, and how much of them. */
import type { LocalStorage, S3Storage, StorageDefinition } from "../../../runtime/realm/files.ts";
import { printSize } from "../../../runtime/units.ts";
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import type { Diagnostic, Span } from "../../diagnostics/diagnostic.ts";
import { flag, type Given, object, oneOf, present, size, text } from "../../model/given.ts";
import type { Realm } from "../../model/model.ts";
import { locate, nodeAt } from "../../source/source.ts";
import type { Changes } from "../change.ts";
import { type CompiledRealm, realmSetting } from "../setting.ts";
import type { RealmCheck } from "../subject.ts";

declare module "../../model/model.ts" {
  interface Realm {
    readonly storage?: StorageDefinition & { readonly span: Span };
  }
}

const files = "files:\n  photo: { accept: [image/png] }";

const codes = {
  "storage-unused": {
    severity: "warning",
    summary: "Storage in a realm without files.",
    message: "no collection of the realm declares files, so nothing is stored",
    hint: "remove storage, or add files to a collection",
    explanation:
      "`storage` says where files are kept; which documents have files is said by each collection.",
    wrong: { "realm.yaml": "auth: enabled\nstorage: { driver: local }" },
    right: { "realm.yaml": "auth: enabled\nstorage: { driver: local }", "collection.yaml": files },
  },
  "storage-bucket": {
    severity: "error",
    summary: "Storage of driver s3 without a bucket.",
    message: "driver: s3 needs a bucket",
    hint: "add bucket: and its name",
    explanation:
      "The server makes no bucket: which one it is, and who else may read it, is for its owner to say.",
    wrong: {
      "realm.yaml": "auth: enabled\nstorage: { driver: s3, region: eu-central-1 }",
      "collection.yaml": files,
    },
    right: {
      "realm.yaml": "auth: enabled\nstorage: { driver: s3, bucket: acme-files, region: eu-central-1 }",
      "collection.yaml": files,
    },
  },
  "storage-other-driver": {
    severity: "error",
    summary: "A key of storage that belongs to another driver.",
    message: "'{key}' belongs to driver: s3 and has no meaning with driver: {driver}",
    hint: "remove it, or write driver: s3",
    explanation:
      "Local files lie in the data folder of the instance, which its environment names (`SVC_DATA`).",
    wrong: {
      "realm.yaml": "auth: enabled\nstorage: { driver: local, bucket: acme-files }",
      "collection.yaml": files,
    },
    right: { "realm.yaml": "auth: enabled\nstorage: { driver: local }", "collection.yaml": files },
  },
  "storage-endpoint": {
    severity: "error",
    summary: "The endpoint of storage is no address of a server.",
    message: "'{endpoint}' is no address of a server: {problem}",
    hint: "write it as in https://s3.example.com",
    explanation:
      "An endpoint is `https://` or `http://`, a host and, where it is another than the scheme's own, a port. Bucket and prefix have keys of their own, and secrets never stand in configuration: `SVC_S3_ACCESS_KEY_ID` and `SVC_S3_SECRET_ACCESS_KEY`.",
    wrong: {
      "realm.yaml": "auth: enabled\nstorage: { driver: s3, bucket: acme-files, endpoint: s3.example.com }",
      "collection.yaml": files,
    },
    right: {
      "realm.yaml":
        "auth: enabled\nstorage: { driver: s3, bucket: acme-files, endpoint: 'https://s3.example.com' }",
      "collection.yaml": files,
    },
  },
  "storage-org-quota-unused": {
    severity: "warning",
    summary: "A quota of organizations that no files count for.",
    message: "no collection with files has documents of organizations, so quota_per_org has no effect",
    hint: "remove it, or give a collection with files the setting organization",
    explanation: "The quota of an organization counts the files of its documents.",
    wrong: {
      "realm.yaml": "auth: enabled\nstorage: { driver: local, quota_per_org: 1GiB }",
      "collection.yaml": files,
    },
    right: {
      "realm.yaml": "auth: enabled\nstorage: { driver: local, quota: 1GiB }",
      "collection.yaml": files,
    },
  },
} as const satisfies Codes;

const changes = {
  "storage-added": { kind: "additive", message: "documents can have files", why: "There were none." },
  "storage-removed": {
    kind: "breaking",
    message: "there are no files any longer",
    why: "Routes of files are gone. The bytes stay where they are.",
  },
  "storage-moved": {
    kind: "breaking",
    message: "files were kept in {old}, are looked for in {new}",
    why: "What is stored is not moved by it: until `realmc copy` has moved it, files are answered as missing (`file_missing`).",
  },
  "quota-lowered": {
    kind: "breaking",
    message: "was {old} and is {new}",
    why: "Uploads that were taken are refused (`quota_exceeded`). What is stored stays.",
  },
  "quota-raised": { kind: "additive", message: "was {old} and is {new}", why: "More uploads are taken." },
} as const satisfies Changes;

const diagnose = diagnoser(codes);

const ofS3 = ["bucket", "region", "endpoint", "path_style", "prefix"] as const;

/** Storage that no collection uses. Where a file is not understood, it may be meant to. */
const unused: RealmCheck = ({ realm, faults }) => {
  const { storage, databases } = realm;
  if (storage === undefined) return [];
  const collections = databases.flatMap((database) => database.collections);
  const isOpen = collections.some(({ realm: name, database, name: collection }) =>
    ["files", "organization"].some((key) =>
      faults.touch(`${name}/${database}/${collection}/collection.yaml`, [key]),
    ),
  );
  if (isOpen) return [];
  const holding = collections.filter(({ files: own }) => own !== undefined);
  if (holding.length === 0) return [diagnose("storage-unused", storage.span, {})];
  const isCounted = holding.some(({ organization }) => organization !== undefined);
  return storage.quotaPerOrg === undefined || isCounted
    ? []
    : [diagnose("storage-org-quota-unused", storage.span, {})];
};

const driverKeys: RealmCheck = ({ realm: { storage }, settings, faults }) => {
  if (storage === undefined || faults.touch(settings.path, ["storage", "driver"])) return [];
  const given = ofS3.filter((key) => nodeAt(settings, ["storage", key]) !== undefined);
  if (storage.driver.kind === "local")
    return given.map((key) =>
      diagnose("storage-other-driver", locate(settings, ["storage", key], "key"), { key, driver: "local" }),
    );
  return given.includes("bucket") || faults.touch(settings.path, ["storage", "bucket"])
    ? []
    : [diagnose("storage-bucket", storage.span, {})];
};

const endpointForm: RealmCheck = ({ realm: { storage }, settings, faults }): Diagnostic[] => {
  if (storage?.driver.kind !== "s3" || faults.touch(settings.path, ["storage", "endpoint"])) return [];
  const { endpoint } = storage.driver;
  const problem = endpoint === undefined ? undefined : endpointProblem(endpoint);
  if (endpoint === undefined || problem === undefined) return [];
  return [diagnose("storage-endpoint", locate(settings, ["storage", "endpoint"]), { endpoint, problem })];
};

function endpointProblem(endpoint: string): string | undefined {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:"))
    return "it is not https://host or http://host";
  if (url.username !== "" || url.password !== "") return "it holds a secret";
  if (url.search !== "" || url.hash !== "") return "it has more than an address";
  return url.pathname === "/" || url.pathname === "" ? undefined : "it has a path";
}

function driverOf(given: Given): LocalStorage | S3Storage {
  if (given.find("driver", oneOf("local", "s3")) !== "s3") return { kind: "local" };
  const { region, endpoint, prefix } = present({
    region: given.find("region", text),
    endpoint: given.find("endpoint", text),
    prefix: given.find("prefix", text),
  });
  return {
    kind: "s3",
    bucket: given.find("bucket", text) ?? "",
    ...present({ region, endpoint }),
    pathStyle: given.read("path_style", flag),
    ...present({ prefix }),
  };
}

/** Where bytes are, in words. */
function placeOf(driver: LocalStorage | S3Storage): string {
  if (driver.kind === "local") return "the data folder";
  const { bucket, prefix = "", endpoint } = driver;
  return `the bucket ${bucket}${prefix && `/${prefix}`}${endpoint === undefined ? "" : ` of ${endpoint}`}`;
}

export const storage = realmSetting({
  codes,
  changes,
  compare: ({ realm: { storage: old } }: CompiledRealm, { realm: { storage: now } }, report) => {
    if (old === undefined || now === undefined) {
      if (old !== undefined) report("storage-removed", "storage", {});
      if (now !== undefined) report("storage-added", "storage", {});
      return;
    }
    const [was, is] = [placeOf(old.driver), placeOf(now.driver)];
    if (was !== is) report("storage-moved", "storage", { old: was, new: is });
    const quotas = [
      ["quota", old.quota, now.quota],
      ["quota_per_org", old.quotaPerOrg, now.quotaPerOrg],
    ] as const;
    for (const [name, before, after] of quotas) {
      if (before === after) continue;
      const isLower = after !== undefined && (before === undefined || after < before);
      const shown = (limit: number | undefined): string => (limit === undefined ? "none" : printSize(limit));
      report(isLower ? "quota-lowered" : "quota-raised", `storage.${name}`, {
        old: shown(before),
        new: shown(after),
      });
    }
  },
  checks: [unused, driverKeys, endpointForm],
  read: ({ file, given }): Pick<Realm, "storage"> => {
    if (given.find("storage", object) === undefined) return {};
    const own = given.in("storage");
    return {
      storage: {
        driver: driverOf(own),
        ...present({ quota: own.find("quota", size), quotaPerOrg: own.find("quota_per_org", size) }),
        span: locate(file, ["storage"], "key"),
      },
    };
  },
  definition: ({ realm: { storage: own } }) =>
    own === undefined
      ? {}
      : { storage: { driver: own.driver, quota: own.quota, quotaPerOrg: own.quotaPerOrg } },
  effective: ({ realm: { storage: own } }) => {
    if (own === undefined) return {};
    const { driver, quota, quotaPerOrg } = own;
    return {
      storage: {
        driver: driver.kind,
        ...(driver.kind === "s3" && {
          bucket: driver.bucket,
          region: driver.region ?? null,
          endpoint: driver.endpoint ?? null,
          path_style: driver.pathStyle,
          prefix: driver.prefix ?? null,
        }),
        quota: quota === undefined ? null : printSize(quota),
        quota_per_org: quotaPerOrg === undefined ? null : printSize(quotaPerOrg),
      },
    };
  },
});
