/** The examples at the end of each command's `--help`. */

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

export const helpExamples = {
  init: examples("realmc init shop", "cd existing-project && realmc init --keep-existing"),
  build: examples(
    "realmc build config                            emits generated/",
    "realmc build config --bundle dist              makes what is deployed, too",
    "realmc build config --check                    in continuous integration: exit 1 when stale",
    "realmc build config --standalone-client        each client.ts as one file, to be copied",
  ),
  check: examples(
    "realmc check config",
    "realmc check config --format github            annotations of a pull request",
    "realmc check config --format sarif > realmc.sarif",
    "realmc check config --against generated        with what was built before",
  ),
  explain: examples(
    "realmc explain unknown-key",
    "realmc explain",
    "realmc explain rule support/tickets read",
  ),
  explainRule: examples(
    "realmc explain rule support/tickets            lists the rules of the collection",
    "realmc explain rule support/tickets read",
    "realmc explain rule helpdesk/support/tickets fields.triage.read examples",
    `realmc explain rule support/tickets read --caller anonymous --caller '{"roles":["lead"]}'`,
  ),
  dev: examples("realmc dev config", "realmc dev config --port 9000 --key"),
  diff: examples("realmc diff main/config config", "realmc diff main/generated generated --format json"),
  serve: examples("realmc serve", "PORT=9000 SVC_STORE=sqlite:/var/lib/shop realmc serve dist"),
  key: examples("realmc key create --realm shop --name ops --admin", "realmc key list --realm shop"),
  invoke: examples(
    "realmc invoke shop/sales/close --input close.json",
    `echo '{"id":"a"}' | realmc invoke shop/sales/close --input - --as 01m80gqnc35k9gxxpya9`,
    "realmc invoke shop/sales/nightly",
  ),
  keyCreate: examples(
    "realmc key create --realm shop --name ops --admin",
    `realmc key create --realm shop --name reports --scopes '{"read": ["orders"]}' --expires-in 30d`,
    "realmc key create --realm shop --name importer --org 01m80gqnc35k9gxxpya9 --roles agent",
  ),
  keyList: examples("realmc key list --realm shop"),
  keyRotate: examples("realmc key rotate --realm shop --name reports --overlap 1h"),
  keyRevoke: examples(
    "realmc key revoke --realm shop --name reports",
    "realmc key revoke --realm shop --id 01m80gqnc35k9gxxpya9",
  ),
  copy: examples(
    "SVC_STORE='mongodb://…' realmc copy --from sqlite:./data --to env:SVC_STORE",
    "realmc copy --from sqlite:./data --to env:SVC_STORE --files-to /srv/data",
    "realmc copy --from sqlite:./data --realm shop --files-to 's3://files/shop/?region=eu-central-1'",
  ),
} as const;
