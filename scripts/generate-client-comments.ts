/** Writes the comments and examples of the client's methods. */
import type { Resource } from "./client-resources.ts";
import type { Operation } from "./generate-client-types.ts";

/** Values of parameters in examples. Others are variables with the parameter's name. */
const samples: Record<string, string> = {
  accountName: '"acme"',
  accessRequestId: '"preq_0QGzNqW81Kx8VhTb3mPcRdZu"',
  oauthClientId: '"oac_0QGzNqW81Kx8VhTb3mPcRdZu"',
  authorizationId: '"auth_0QGzNqW81Kx8VhTb3mPcRdZu"',
  bucketName: '"main"',
  configurationPlanId: '"cfgp_0QGzNqW81Kx8VhTb3mPcRdZu"',
  consumerName: '"acme"',
  customerKey: '"acme"',
  exportName: '"warehouse"',
  deliveryId: '"dlvr_0QGzNqW81Kx8VhTb3mPcRdZu"',
  deploymentName: '"orders-main-3f9c2a1"',
  holdId: '"hold_0QGzNqW81Kx8VhTb3mPcRdZu"',
  invitingAccount: '"acme"',
  memberId: '"prsn_0QGzNqW81Kx8VhTb3mPcRdZu"',
  mode: '"live"',
  projectName: '"orders"',
  sessionId: '"sess_0QGzNqW81Kx8VhTb3mPcRdZu"',
  variableName: '"UPSTREAM_TOKEN"',
  versionNumber: "4",
  webhookId: '"hook_0QGzNqW81Kx8VhTb3mPcRdZu"',
};

/** Without its last lines, which name the roles, and the other types, which have methods of their own. */
export function descriptionOf({ description = "" }: Operation): string[] {
  return description
    .replace(/ ?Also as `text\/[^.]*\./, "")
    .split("\n\n")
    .filter((part) => part !== "" && !/^(Roles:|Also with)/.test(part));
}

export function docComment(parts: string[], example: string): string {
  const lines = [...parts.flatMap((part) => part.split("\n")), "", "@example", "```ts", ...example.split("\n"), "```"];
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */`;
}

interface ExampleParts {
  ids: string[];
  isList: boolean;
  examples: unknown[];
  returns: string;
}

export function exampleOf(
  resource: Resource,
  method: string,
  { ids, isList, examples, returns }: ExampleParts,
): string {
  const own = parametersIn(resource.path).map(sampleOf);
  const object = `client.${memberOf(resource)}${own.length > 0 ? `(${own.join(", ")})` : ""}`;
  const given = examples.filter((example) => example !== undefined).map(literal);
  const call = `${object}.${method}(${[...ids.map(sampleOf), ...given].join(", ")})`;
  const result = /^\w+<(\w+)>$/.exec(returns)?.[1];
  if (isList && result === undefined) return `for await (const text of ${call}) process.stdout.write(text);`;
  if (isList) return `for await (const ${camel(result!)} of ${call}) console.log(${camel(result!)});`;
  if (result === "void") return `await ${call};`;
  return `const ${result === undefined ? "data" : result === "string" ? "text" : camel(result)} = await ${call};`;
}

export function memberOf({ name, member }: Resource): string {
  return member ?? camel(name);
}

function sampleOf(parameter: string): string {
  return samples[parameter] ?? parameter;
}

function literal(value: unknown): string {
  const unquoted = (text: string) => text.replace(/"([A-Za-z_]\w*)":/g, "$1:");
  const line = unquoted(JSON.stringify(value, undefined, 1)).replace(/\n\s*/g, " ");
  return line.length <= 80 ? line : unquoted(JSON.stringify(value, undefined, 2));
}

/** Without the account, which the client adds. */
export function parametersIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!).filter((name) => name !== "accountName");
}

export function camel(name: string): string {
  const joined = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return joined[0]!.toLowerCase() + joined.slice(1);
}
