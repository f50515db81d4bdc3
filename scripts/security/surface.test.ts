/** What the server has to do with the world: which routes it serves, and whom it speaks to by itself. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blog } from "../../generated/blog/realm.ts";
import { helpdesk } from "../../generated/helpdesk/realm.ts";
import { inventory } from "../../generated/inventory/realm.ts";
import { type Names, placed, type RouteContract } from "../../runtime/contract/contract.ts";
import { documents } from "../../runtime/contract/documents.ts";
import { fileContracts } from "../../runtime/contract/file-contracts.ts";
import { fileLinks } from "../../runtime/contract/file-links.ts";
import { openRealtimeStream } from "../../runtime/contract/realtime.ts";
import { type RealmTraits, traitsOf } from "../../runtime/contract/traits.ts";
import type { RealmModule } from "../../runtime/realm/exchange.ts";
import { runs } from "../../runtime/testing/random.ts";
import { emailKey } from "../../runtime/validation/people.ts";
import { Description } from "../conformance/description.ts";
import { compileTenants } from "../organizations/model/tenants.ts";
import { root } from "../workspace.ts";
import { compileFort } from "./compiled.ts";

const fort = await compileFort();
const tenants = await compileTenants();

describe("Inventory", () => {
  it("every route that is served is described, and none besides", () => {
    for (const module of [blog, fort, helpdesk, inventory, tenants])
      expect(served(module)).toEqual(described(module));
  });
});

/** By method and path, whatever its parameters are called. */
function served({ definition, routes }: RealmModule): readonly string[] {
  const { collections, storage } = definition;
  // What no collection declares is there to say so: 400 aggregate_not_enabled, 400 realtime_not_enabled, 409
  // upload_mode_mismatch.
  const followed = collections.filter(({ realtime }) => realtime === true);
  const without = [
    ...refusing(openRealtimeStream, traitsOf(definition, followed), {}),
    ...(storage === undefined ? [] : fileLinks).flatMap((route) =>
      refusing(route, traitsOf(definition, collections), {}),
    ),
    ...collections.flatMap((each) => {
      const { database, name: collection, files = [] } = each;
      const traits = traitsOf(definition, [each]);
      return [
        ...Object.values(documents).flatMap((route) => refusing(route, traits, { database, collection })),
        ...files.flatMap((file) =>
          fileContracts.flatMap((route) =>
            refusing(route, { ...traits, file }, { database, collection, field: file.name }),
          ),
        ),
      ];
    }),
  ];
  return (
    routes
      .flatMap((table) => Object.entries(table))
      // A page for people, no operation for programs.
      .filter(([path]) => !/^\/v1\/[^/]+\/_docs(?:\/|$)/.test(path))
      .flatMap(([path, methods]) =>
        // What says why there is no route is none itself.
        Object.keys(methods)
          .filter((method) => method !== "absent")
          .map((method) => `${method} ${path.replace(/:\w+/g, "{}")}`),
      )
      .filter((route) => !without.some((is) => is(route)))
      .sort()
  );
}

/** A route that does nothing but refuse, on all ways to it. */
function refusing(
  { method, path, useful }: RouteContract,
  traits: RealmTraits,
  names: Names,
): readonly ((route: string) => boolean)[] {
  if (useful?.(traits) !== false) return [];
  const end = placed(path, names).replace(/\{\w+\}/g, "{}");
  return [(route: string) => route.startsWith(`${method} `) && route.endsWith(end)];
}

function described(module: RealmModule): readonly string[] {
  return Description.of(module)
    .operations.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, "{}")}`)
    .sort();
}

describe("Connections", () => {
  it("the runtime opens none but to its store, its mail server, a server's socket that hands over, for functions, and from commands to --url", () => {
    // Beside what clients are made of, which no server loads.
    const found = runtimeFiles().flatMap((path) => {
      if (path.startsWith("client/")) return [];
      const text = readFileSync(join(root, "runtime", path), "utf8");
      return reaching.some((pattern) => pattern.test(text)) ? [path] : [];
    });
    expect(found).toEqual([
      // What `network` of a function names.
      "functions/fetch/exchange.ts",
      "functions/fetch/guarded.ts",
      "functions/pool/thread.ts",
      "instance/handover/control.ts",
      "instance/outbox.ts",
      "instance/smtp.ts",
      "instance/transfer/remote.ts",
      "store/mongodb/client.ts",
    ]);
  });

  it("and evaluates no text but handlers, in their threads", () => {
    expect(filesWith(/\beval\(|\bnew Function\(|node:vm["/]/)).toEqual(["functions/worker/load.ts"]);
  });

  it("and starts no program but its own next version", () => {
    expect(filesWith(/node:child_process/)).toEqual(["instance/handover/next.ts"]);
  });
});

/** What connects to others, as it stands in a source. */
const reaching = [
  /\bfetch\(/,
  /\bimport\("nodemailer/,
  /\bnew MongoClient\(/,
  /from "(?:undici|nodemailer|node:(?:https|http2|dns|dgram|tls))["/]/,
  /import \{[^}]*\b(?:request|get|connect|createConnection|lookup)\b[^}]*\} from "node:(?:http|net)"/,
];

function runtimeFiles(): readonly string[] {
  return readdirSync(join(root, "runtime"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !/\.test\.ts$|testing|[\\/]suite[\\/]/.test(path))
    .sort();
}

it("no address of mail holds another header, or a second address", () => {
  const piece = fc.constantFrom(
    "a",
    "b.c",
    "@",
    "@x.org",
    "\r\n",
    "\n",
    "\0",
    " ",
    ",",
    ";",
    "<",
    ">",
    "(",
    '"',
    "Bcc:",
    "\u0131",
    "%0a",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
      const address = pieces.join("");
      if (emailKey(address) !== undefined) expect(address).toMatch(/^[^\s\0,;<>()"@\u0080-\uffff]+@[\w.-]+$/);
    }),
    { numRuns: runs(5_000) },
  );
  expect(emailKey("a@x.org")).toBe("a@x.org");
  for (const address of ["a@x.org\r\nBcc: b@x.org", "a@x.org, b@x.org", "<a@x.org>", "a@x.org\n"]) {
    expect(emailKey(address)).toBe(undefined);
  }
});

function filesWith(pattern: RegExp): readonly string[] {
  return runtimeFiles().filter((path) => pattern.test(readFileSync(join(root, "runtime", path), "utf8")));
}
