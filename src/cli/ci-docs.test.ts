import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { expectTour } from "../../test/support/cli-tour.ts";

const document = readFileSync(join(import.meta.dir, "../../docs/ci.md"), "utf8");

test("the commands of docs/ci.md work as pasted", async () => {
  await expectTour(document, [
    /Subject +repo:acme\/shop:pull_request[\s\S]*BranchClaim|Branch claim[\s\S]*refs\/heads\/main[\s\S]*PRODUCTION/i,
  ]);
});

test("the workflow of docs/ci.md gives the action inputs that it has", () => {
  const action = parse(readFileSync(join(import.meta.dir, "../../deploy/ci/github/action.yml"), "utf8"));
  const [workflow, gitlab] = [...document.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => parse(text!));
  const step = workflow.jobs.deploy.steps[1];
  for (const name of Object.keys(step.with)) expect(Object.keys(action.inputs)).toContain(name);
  const required = Object.entries<{ required?: boolean }>(action.inputs).filter(([, input]) => input.required);
  for (const [name] of required) expect(Object.keys(step.with)).toContain(name);
  expect(workflow.permissions["id-token"]).toBe("write");
  expect(gitlab.deploy.id_tokens.TOLLGATE_ID_TOKEN.aud).toContain("/v1/accounts/default");
});
