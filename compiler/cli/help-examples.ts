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
    "realmc check config --store sqlite:./data      with secrets that are not set there",
  ),
  explain: examples(
    "realmc explain unknown-key",
    "realmc explain",
    "realmc explain rule support/tickets read",
    "realmc explain helpdesk/support/tickets --as anonymous --op list",
    `realmc explain blog/content/posts --as '{"id":"ada"}' --doc @post.json --op delete`,
    "cd config/shop/sales/orders/_tests && realmc explain shop/sales/orders --tests rules.yaml \\",
    `    --as ada --doc open --op update --data '{"status":"paid"}'`,
    "REALMC_KEY=… realmc explain shop/sales/orders --url http://localhost:8080 --op read \\",
    "    --as 01m80gqnc35k9gxxpya9 --doc 01m80gqnc35k9gxxpyb0 --format json",
  ),
  explainRule: examples(
    "realmc explain rule support/tickets            lists the rules of the collection",
    "realmc explain rule support/tickets read",
    "realmc explain rule helpdesk/support/tickets fields.triage.read examples",
    `realmc explain rule support/tickets read --caller anonymous --caller '{"roles":["lead"]}'`,
  ),
  test: examples(
    "realmc test",
    "realmc test config --filter tickets --watch",
    "realmc test --coverage --min-coverage 90",
    "realmc test --coverage=lcov:coverage/lcov.info --coverage=html:coverage",
    "realmc test --format github                    annotations of a pull request",
    "realmc test config --write desk/support/tickets     first tests, from its rules",
  ),
  dev: examples("realmc dev config", "realmc dev config --port 9000 --key"),
  diff: examples(
    "realmc diff main/config config",
    "realmc diff main/generated generated --format json",
    "realmc diff --no-new-access main/config config       PASS, or FAIL and who gains what",
  ),
  matrix: examples(
    "realmc matrix",
    "realmc matrix config --format json > matrix.json     to be committed",
    "realmc matrix config --check matrix.json             in continuous integration: who gains?",
    "realmc matrix --never 'anonymous: read support/tickets' --never 'member: purge support/tickets'",
    "realmc matrix config --format html > matrix.html",
  ),
  serve: examples(
    "realmc serve",
    "PORT=9000 SVC_STORE=sqlite:/var/lib/shop realmc serve dist",
    "PORT=9000 SVC_STORE=sqlite:/var/lib/shop realmc serve --handover",
  ),
  key: examples("realmc key create --realm shop --name ops --admin", "realmc key list --realm shop"),
  secret: examples(
    "realmc secret set --realm shop --name STRIPE_KEY < stripe.key",
    "realmc secret list --realm shop",
  ),
  secretSet: examples(
    "realmc secret set --realm shop --name STRIPE_KEY < stripe.key",
    "pass show stripe | SVC_STORE=sqlite:/var/lib/shop realmc secret set --realm shop --name STRIPE_KEY",
  ),
  secretList: examples("realmc secret list --realm shop"),
  invoke: examples(
    "realmc invoke shop/sales/close --input close.json",
    `echo '{"id":"a"}' | realmc invoke shop/sales/close --input - --as 01m80gqnc35k9gxxpya9`,
    "realmc invoke shop/sales/nightly",
  ),
  migration: examples("realmc migration new shop/sales/orders split-name"),
  migrationNew: examples(
    "realmc migration new shop/sales/orders split-name",
    "realmc migration new shop/sales/orders priority --yaml",
    "realmc migration new shop/sales/orders split-name config --old ../main/config",
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
  export: examples(
    "realmc export --store sqlite:./data --to export",
    "realmc export --store env:SVC_STORE --to items.ndjson --collection store/items --meta",
    "realmc export --store sqlite:./data --to export --meta --include users,keys,organizations",
    "REALMC_KEY=… realmc export --url https://api.example.com --to export",
    "realmc export --store env:SVC_STORE --to export --meta --include files --data /srv/data",
    `realmc export --store sqlite:./data --to - --collection store/items --where '{"sold":true}'`,
  ),
  import: examples(
    "realmc import --store sqlite:./data --from export --meta",
    "realmc import --store sqlite:./data --from export --meta --include users,keys,organizations",
    "realmc import --store env:SVC_STORE --from items.ndjson --collection store/items --mode merge",
    "REALMC_KEY=… realmc import --url https://api.example.com --from export --rejects rejects.ndjson",
    "zcat items.gz | realmc import --store sqlite:./data --from - --collection store/items",
  ),
  plan: examples(
    "realmc plan config --store sqlite:./data            what deploying it means for what is stored",
    "realmc plan config --store env:SVC_STORE --check    exit 1 for anything that is not safe",
    "REALMC_KEY=… realmc plan config --url https://api.example.com",
    "realmc plan config --store sqlite:./data --rehearse migrates a copy, verifies it and compares",
    "realmc plan config --store sqlite:./data --old generated --sample 10000 --format json",
  ),
  backup: examples(
    "realmc backup --store sqlite:/var/lib/shop --to /backup/shop",
    "realmc backup --store sqlite:/var/lib/shop --to /backup/shop --include-keys --format json",
  ),
  restore: examples(
    "realmc restore --from /backup/shop --to sqlite:/var/lib/shop",
    "realmc restore --from /backup/shop --to sqlite:/srv/drill --realm shop",
  ),
  verify: examples(
    "realmc verify /backup/shop",
    "realmc verify sqlite:/var/lib/shop --realm shop --format json",
  ),
  seed: examples(
    "realmc seed config --store sqlite:./data",
    "realmc seed config --store env:SVC_STORE --realm shop",
  ),
  drop: examples(
    "realmc drop shop/store/carts --store sqlite:./data",
    "realmc drop shop/store/carts --store sqlite:./data --yes-delete 1342",
  ),
  migrate: examples(
    "realmc migrate --store sqlite:./data --dry-run",
    "realmc migrate --store env:SVC_STORE --rate 2000 --strict",
    "realmc migrate --store sqlite:./data --collection store/items --back 0003",
  ),
} as const;
