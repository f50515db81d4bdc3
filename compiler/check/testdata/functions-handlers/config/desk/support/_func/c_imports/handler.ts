import { readFileSync } from "node:fs";
import { createHash } from "crypto";
import { connect } from "net";
import { other } from "../../../../other/x.ts";
import { remote } from "https://example.com/x.ts";
import { nothing } from "no-such-package";
import type { Handler } from "./$types.ts";

const handler: Handler = async () => {
  console.log(readFileSync, createHash, connect, other, remote, nothing);
  return { closed: true };
};

export default handler;
