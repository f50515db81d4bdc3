import { afterAll, beforeAll, expect, test } from "vitest";
import { type CollectionDefinition, storeNameOf } from "../realm/definition.ts";
import { allowed } from "../rules/index.ts";
import { FaultProxy } from "../store/mongodb/testing/faults.ts";
import type { Command } from "../store/mongodb/testing/faults-wire.ts";
import { describeMongo, dropTestDatabases, testLocation } from "../store/mongodb/testing/server.ts";
import { code, collection, type Received, type Shop, startShop } from "./testing/shop.ts";

const rules = { read: allowed, create: allowed };
const plain = collection("plain", { rules });
const chosen = collection("chosen", { customId: { duplicateLimit: 20 }, rules });

describeMongo("Idempotency-Key 4, at two instances on one database", () => {
  const location = testLocation();
  let proxy: FaultProxy;
  let here: Shop;
  let there: Shop;
  let token: string;
  let keys = 0;
  beforeAll(async () => {
    proxy = await FaultProxy.open(location.uri);
    here = await startShop("enabled", [plain, chosen], {
      settings: { store: { ...location, uri: proxy.uri } },
    });
    there = await startShop("enabled", [plain, chosen], { settings: { store: location } });
    ({ token } = await here.signUp("ada@example.com"));
  });
  afterAll(async () => {
    await Promise.all([here.stop(), there.stop()]);
    await proxy.close();
    await dropTestDatabases(location);
  });

  const newKey = () => {
    keys += 1;
    return `key:${keys}`;
  };
  /** @param id where the client chooses it */
  const create = (at: Shop, key: string, id?: string, title: unknown = "a"): Promise<Received> => {
    const body = JSON.stringify({ title, id });
    const headers = { "idempotency-key": key };
    return at.send("POST", id === undefined ? "plain" : "chosen", { text: body, token, headers });
  };
  /** Of a transaction that made a document in a collection: the server has others. */
  const commitsTo = (made: CollectionDefinition) => (command: Command) => {
    const of = ({ body }: Command) => JSON.stringify([body["lsid"], body["txnNumber"]]);
    const inserts = proxy.sent("insert").filter(({ body }) => body["insert"] === storeNameOf(made));
    return command.name === "commitTransaction" && inserts.some((insert) => of(insert) === of(command));
  };
  const count = async (name = "chosen") =>
    Number((await there.send("GET", `${name}?count=true`)).body["total"]);
  const isReplayed = ({ headers }: Received) => headers.has("idempotent-replayed");

  test("while one has not committed, the others are told at once that it runs; then they repeat its answer", async () => {
    for (const id of [undefined, "one"]) {
      const key = newKey();
      let release = (): void => undefined;
      const hold = new Promise<void>((go) => {
        release = go;
      });
      const commit = proxy.inject(commitsTo(id === undefined ? plain : chosen), { hold });
      const first = create(here, key, id);
      await commit.met;
      const meanwhile = await Promise.all([create(there, key, id), create(here, key, id)]);
      for (const answer of meanwhile)
        expect([answer.status, code(answer)]).toEqual([409, "request_in_progress"]);
      release();
      const { status, text } = await first;
      const again = await create(there, key, id);
      expect([status, again.status, again.text, isReplayed(again)]).toEqual([201, 201, text, true]);
      expect(await count(id === undefined ? "plain" : "chosen")).toBe(1);
    }
  });

  test("of many at both exactly one runs; the others are 409 or its replay", async () => {
    for (let round = 0; round < 5; round += 1) {
      const key = newKey();
      const before = await count();
      const id = `round-${round}`;
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => create(n % 2 === 0 ? here : there, key, id)),
      );
      const done = answers.filter((answer) => answer.status === 201 && !isReplayed(answer));
      expect(done).toHaveLength(1);
      for (const answer of answers) {
        if (answer.status === 201) expect(answer.text).toBe(done[0]?.text);
        else expect([answer.status, code(answer)]).toEqual([409, "request_in_progress"]);
      }
      expect(await count()).toBe(before + 1);
    }
  });

  test("what fails before its commit leaves the key free", async () => {
    const key = newKey();
    const before = await count("plain");
    expect((await create(here, key, undefined, 1)).status).toBe(400);
    const broken = proxy.inject("commitTransaction", { error: "NoSuchTransaction" });
    const answer = await create(here, key);
    expect([answer.status, broken.struck]).toEqual([201, 1]);
    expect(await count("plain")).toBe(before + 1);
  });
});
