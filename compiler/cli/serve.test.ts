import { once } from "node:events";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Bundle, bundle } from "../../runtime/instance/testing/handover.ts";
import { type ServerProcess, startNode, urlOf } from "../../runtime/instance/testing/process.ts";
import { type ProcessPlace, processPlace } from "../../runtime/store/testing/stores.ts";
import { entry } from "./testing/commands.ts";

let place: ProcessPlace;
let program: Bundle;
let serve: ServerProcess;
let url: string;
beforeEach(async () => {
  place = processPlace();
  program = bundle(place.realm);
  serve = startNode([entry, "serve", program.folder], place);
  url = await urlOf(serve);
});
afterEach(async () => {
  if (serve.child.exitCode === null) serve.child.kill("SIGTERM");
  await serve.ended;
  await place.discard();
  program.discard();
});

async function handedOver(version: string): Promise<number> {
  program.version(version);
  serve.child.kill("SIGUSR2");
  const { next } = await serve.line("handed over");
  const answer: { config?: unknown } = JSON.parse(await (await fetch(`${url}/readyz`)).text());
  expect(answer.config).toBe(version);
  return Number(next);
}

it("realmc serve passes SIGUSR2 on, and outlives the server that hands over", async () => {
  await handedOver("f2");
  expect(serve.child.exitCode).toBeNull();
  serve.out.length = 0;
  await handedOver("f3");
  serve.child.kill("SIGTERM");
  expect(await serve.ended).toBe(0);
  await expect(fetch(`${url}/readyz`)).rejects.toThrow();
});

it("realmc serve ends with 1 where the server that took over is killed", async () => {
  const next = await handedOver("f2");
  const ended = once(serve.child, "exit");
  process.kill(next, "SIGKILL");
  expect(await ended).toEqual([1, null]);
});
