import { expect, test } from "vitest";
import { openClient } from "./client.ts";

const open = (uri: string) => openClient(uri, { queryTime: 3_000 });

test("acknowledged by a majority, read from the primary, retried", () => {
  const { options } = open("mongodb://a.example,b.example/?replicaSet=rs0");
  expect(options).toMatchObject({
    appName: "realmc",
    readConcern: { level: "majority" },
    writeConcern: { w: "majority", wtimeoutMS: 3_000 },
    retryReads: true,
    retryWrites: true,
    serverSelectionTimeoutMS: 3_000,
    waitQueueTimeoutMS: 3_000,
    maxPoolSize: 100,
  });
  expect(options.readPreference.mode).toBe("primary");
  expect(openClient("mongodb://a", { queryTime: 60_000 }).options.serverSelectionTimeoutMS).toBe(5_000);
});

test("the URI may name the application, and how many connections there are", () => {
  const { options } = open(
    "mongodb://a/?APPNAME=shop&maxPoolSize=7&minpoolsize=1&maxIdleTimeMS=9&w=majority",
  );
  expect(options).toMatchObject({ appName: "shop", maxPoolSize: 7, minPoolSize: 1, maxIdleTimeMS: 9 });
});

test("the URI may say how long a server is looked for", () => {
  const { options } = open(
    "mongodb://a/?serverSelectionTimeoutMS=700&CONNECTTIMEOUTMS=800&heartbeatFrequencyMS=900",
  );
  expect(options).toMatchObject({
    serverSelectionTimeoutMS: 700,
    connectTimeoutMS: 800,
    heartbeatFrequencyMS: 900,
  });
});

test.each([
  ["w=1", "w (other than majority)"],
  ["w=0", "w (other than majority)"],
  ["w=tag", "w (other than majority)"],
  ["journal=false", "journal=false"],
  ["readConcernLevel=local", "readConcernLevel (other than majority)"],
  ["readPreference=secondaryPreferred", "readPreference (other than primary)"],
  ["retryWrites=false", "retryWrites=false"],
  ["socketTimeoutMS=1000", "socketTimeoutMS"],
  ["waitQueueTimeoutMS=9000", "waitQueueTimeoutMS (SVC_QUERY_TIME says it)"],
  ["wTimeoutMS=9000&timeoutMS=1", "wtimeoutMS (SVC_QUERY_TIME says it), timeoutMS (SVC_QUERY_TIME says it)"],
  ["readPreferenceTags=dc:ny", "readPreferenceTags"],
  ["promoteValues=false&dbName=shop", "promoteValues, dbName"],
  ["retryReads=false&readPreference=nearest", "readPreference (other than primary), retryReads=false"],
])("an option under which promises would not hold is refused: %s", (option, named) => {
  expect(() => open(`mongodb://user:topsecret@a/?${option}`)).toThrow(
    new Error(`the MongoDB URI has options that the server does not work with: ${named}`),
  );
});

test.each([
  "readPreference=primary",
  "readConcernLevel=majority&retryWrites=true",
  "journal=true",
  "directConnection=true",
])("one that says the same is not: %s", (option) => {
  expect(open(`mongodb://a/?${option}`).options.readPreference.mode).toBe("primary");
});

test.each([
  "mongodb://user:topsecret@",
  "mongodb://user:top/secret@host",
  "mongodb://user:top:secret@host:99999",
  "mongodb://user:topsecret%@host",
  "mongodb://user:topsecret@host/?topsecret",
  "mongodb://user:topsecret@host/?tls=topsecret",
  "mongodb://user:topsecret@host/?authMechanism=topsecret",
  "topsecret",
])("no message repeats a URI that cannot be used", (uri) => {
  let message = "";
  try {
    open(uri);
  } catch (error) {
    message = String(error);
  }
  expect(message).toContain("this is not a MongoDB URI that can be used");
  expect(message).not.toMatch(/secret/);
});

test("an option that there is not is named", () => {
  expect(() => open("mongodb://user:topsecret@a/?maxPoolsiz=5")).toThrow(
    "option maxpoolsiz is not supported",
  );
});
