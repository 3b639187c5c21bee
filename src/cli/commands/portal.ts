import { readFile } from "node:fs/promises";
import {
  etagOf,
  type PageOptions,
  type Portal,
  type PortalHandoff,
  type PortalUpdate,
  type Tollgate,
} from "../../client/index.ts";
import { changesOf, clearOption, withChanges } from "../arguments/changes.ts";
import type { None, Values } from "../arguments/command.ts";
import {
  argument,
  boolean,
  flag,
  integer,
  listOption,
  named,
  oneOf,
  option,
  pairsOption,
  requiredOption,
} from "../arguments/values.ts";
import { ifFound, remoteCommand } from "../connection/remote.ts";
import { group, resource } from "../connection/resource.ts";
import { bucketOption } from "../options/key-bucket-options.ts";
import { portalScopes } from "../options/portal-scope-option.ts";
import { showResource } from "../output/show.ts";
import { UsageError } from "../process/usage-error.ts";
import { secretFromStdin } from "../terminal/prompts.ts";
import type { Terminal } from "../terminal/terminal.ts";

const site = resource({
  one: "the portal of a key bucket",
  many: "portals",
  options: bucketOption,
  api: (client, { bucket }) => client.portal(bucket),
});

const accessRequest = resource({
  one: "a request for access to the portal",
  many: "requests",
  id: { id: argument("the id of the request") },
  options: bucketOption,
  sample: "preq_0QGzNqW81Kx8VhTb3mPcRdZu",
  api: (client, { bucket }) => client.portal(bucket),
});

const everyPortal = resource({
  one: "a portal",
  api: (client) => ({ list: (query: PageOptions) => client.portals(query) }),
});

const settingOptions = {
  title: option("the name of the API or the business; needed for a new portal"),
  description: option("what the API does, in one sentence"),
  logo: option("a PNG, JPEG or WebP image of at most 256 KiB", named("FILE", "file")),
  accentColor: option("the colour of buttons and links, such as #0b6b68", named("COLOR")),
  deployment: listOption(
    "a deployment whose address and requests customers see, by name or address; all of them",
    named("NAME"),
  ),
  meteringBucket: option("the metering bucket whose subscriptions customers see", named("ID")),
  signUp: option("who may create an account: closed, domains, approval or open", named("MODE")),
  allowedDomain: listOption("a domain of addresses that may sign up; all of them", named("DOMAIN")),
  signUpPlan: option("the plan of new customers, in the metering bucket", named("EXTERNAL_ID")),
  recommendedPlan: option("the plan that is marked as recommended", named("EXTERNAL_ID")),
  oidcIssuer: option("the identity provider of customers; its secret comes from standard input", named("URL")),
  oidcClientId: option("the id of the portal at the identity provider", named("ID")),
  plan: listOption("a plan that customers can choose; all of them, in order", named("EXTERNAL_ID")),
  keyLimit: option("how many keys a customer may have", integer),
  returnOrigin: listOption("an origin of your site that hand-offs may lead back to; all of them", named("ORIGIN")),
  termsUrl: option("a link to your terms", named("URL")),
  link: pairsOption("a link in the footer; all of them", "LABEL=URL", (text) => text),
  host: option("a verified custom domain", named("HOST")),
  publicReference: option("whether everyone may read the reference and the guides", boolean),
  oauth: option("whether programs can be authorized instead of using a key", boolean),
  oauthRegistration: option("which OAuth clients are known: closed, metadata or open", named("MODE")),
  accessTokenMinutes: option("how long an access token is valid", integer),
  refreshDays: option("how long an authorization lasts", integer),
  enabled: option("whether the portal is served", boolean),
};

type Given = Values<None, typeof settingOptions>;

export const portal = group({
  name: "portal",
  summary: "The site where customers manage their keys",
  commands: {
    list: everyPortal.list({
      summary: "List the portals of the account",
      columns: ["bucketName", "title", "isEnabled", "url"],
      examples: "With their buckets and addresses.",
    }),
    show: site.command({
      summary: "Show the portal of a key bucket and its address",
      examples: { "tollgate portal show --bucket payments": "Its settings, without the image." },
      call: (api) => api.get(),
      show: showPortal,
    }),
    set: remoteCommand({
      summary: "Create the portal of a key bucket, or change its settings",
      options: {
        ...bucketOption,
        ...settingOptions,
        ...clearOption(
          "description",
          "logo",
          "accentColor",
          "meteringBucket",
          "allowedDomains",
          "signUpPlan",
          "recommendedPlan",
          "oidc",
          "oauth",
          "plans",
          "returnOrigins",
          "termsUrl",
          "links",
          "host",
        ),
      },
      examples: {
        'tollgate portal set --title "Acme Weather" --deployment weather-main-1a2b3c4 --metering-bucket plans':
          "Creates it, or changes these settings only.",
        "tollgate portal set --logo logo.png --accent-color '#2456d6'": "Its appearance.",
        "cat secret.txt | tollgate portal set --oidc-issuer https://id.acme.example --oidc-client-id portal":
          "Customers sign in with this provider.",
        "tollgate portal set --oauth true --oauth-registration metadata":
          "Programs can be authorized, also those with a metadata document.",
        "tollgate portal set --enabled false": "The portal is unavailable until it is enabled again.",
      },
      async call(client, values, terminal) {
        const { bucket, clear } = values;
        const deployment = await deploymentNames(client, values.deployment);
        const changes: Record<string, unknown> = changesOf(await fieldsOf({ ...values, deployment }, terminal), clear);
        const current = await ifFound(client.portal(bucket).get());
        const {
          id: _,
          url: __,
          warnings: ___,
          createdOn: ____,
          updatedOn: _____,
          ...before
        }: Partial<Portal> = current ?? {};
        if (changes.oauth) changes.oauth = { ...before.oauth, ...changes.oauth };
        const settings = withChanges(before, changes);
        if (settings.title === undefined) throw new UsageError("A new portal needs a title.", 'Add --title "…".');
        // The server replaces the portal as a whole. Concurrent changes of other settings are not reverted.
        const options = current ? { ifMatch: etagOf(current) } : {};
        return client.portal(bucket).set(settings as unknown as PortalUpdate, options);
      },
      show: showPortal,
    }),
    delete: site.delete({
      effect: "and everyone is signed out",
      what: ({ bucket }) => `the portal of the key bucket ${bucket}`,
      examples: { "tollgate portal delete --bucket payments": "Consumers and keys stay as they are." },
      call: (api) => api.delete(),
    }),
    "hand-off": site.command({
      summary: "Make an address that signs a customer in to the portal",
      details:
        "It works once, for two minutes. Your own backend does the same when a customer opens the portal from your site.",
      arguments: { consumer: argument("the customer") },
      options: {
        subject: requiredOption("who it is for; the audit log shows it"),
        scope: listOption("what the session may do; everything by default", oneOf(...portalScopes)),
        returnUrl: option("where the portal leads back to", named("URL")),
      },
      examples: {
        "tollgate portal hand-off acme --subject jo@acme.example": "Open it in a browser.",
        "tollgate portal hand-off acme --subject jo@acme.example --scope keys:read --scope usage:read":
          "Without changes.",
      },
      call: (api, { consumer, subject, scope: scopes = [...portalScopes], returnUrl }) => {
        const given = { consumerName: consumer, subject, scopes };
        return api.handOff(returnUrl === undefined ? given : { ...given, returnUrl });
      },
      show: showHandoff,
    }),
    view: remoteCommand({
      summary: "Make an address that shows the portal as a customer sees it",
      details: "Nothing can be changed there. The audit log shows that you viewed it.",
      arguments: { consumer: argument("the customer") },
      options: { ...bucketOption },
      examples: { "tollgate portal view acme": "Open it in a browser within two minutes." },
      call: (client, { consumer, bucket }) => client.portal(bucket).view(consumer),
      show: showHandoff,
    }),
    requests: accessRequest.listOf({
      summary: "List requests for access to the portal",
      options: { state: option("only those", oneOf("pending", "approved", "denied")) },
      columns: ["id", "email", "name", "note", "state", "consumerName", "createdOn"],
      examples: { "tollgate portal requests --state pending": "To approve or deny." },
      query: ({ state }) => (state ? { state } : {}),
      read: (api, query) => api.accessRequests(query),
    }),
    funnel: site.command({
      summary: "Show how far the customers who signed up have come",
      details: "From the sign-up to a key and the first successful request, and whether they stopped for 30 days.",
      options: {
        stage: option("only customers at this stage", oneOf("signed-up", "key-created", "active", "stopped")),
      },
      examples: { "tollgate portal funnel --stage stopped": "Customers who have stopped." },
      call: (api, { stage }) => api.funnel(stage ? { stage } : {}),
    }),
    approve: accessRequest.action({
      summary: "Approve a request for access to the portal",
      details: "Creates the consumer with its subscription, and sends the person a mail.",
      examples: "From: tollgate portal requests",
      call: (api, id) => api.approve(id),
    }),
    deny: accessRequest.action({
      summary: "Deny a request for access to the portal",
      details: "The person gets no mail.",
      examples: "From: tollgate portal requests",
      call: (api, id) => api.deny(id),
    }),
    "rotate-oauth-key": site.command({
      summary: "Sign access tokens of OAuth with a new key",
      options: {
        revokeTokens: flag("reject the access tokens that earlier keys signed; for a key that was stolen"),
      },
      examples: { "tollgate portal rotate-oauth-key": "Tokens of the earlier key stay valid until they expire." },
      call: (api, { revokeTokens: revokesTokens }) => api.rotateOAuthKey({ revokesTokens }),
      show: ({ keys }, terminal) => terminal.print(keys.map(({ kid }) => kid).join("\n")),
    }),
  },
});

/** The fields, with lists in one line each, and the warnings. The image is not shown. */
function showPortal(portal: Portal, terminal: Terminal): void {
  const { logo, links, deployments, returnOrigins, oidc, oauth, warnings = [], ...fields } = portal;
  showResource(terminal, {
    ...fields,
    oidc: oidc && `${oidc.issuer} (client ${oidc.clientId})`,
    oauth: oauth && `${oauth.isEnabled ? "on" : "off"} (registration ${oauth.registration})`,
    logo: logo === undefined ? "none" : "set",
    deployments: deployments.join(", ") || "none",
    returnOrigins: returnOrigins?.join(", "),
    links: links?.map(({ label, url }) => `${label}: ${url}`).join(", "),
  });
  for (const warning of warnings) terminal.note(`${terminal.noteStyle("yellow", "warning:")} ${warning}`);
  if (warnings.length > 0) terminal.note("See tollgate billing set --help and tollgate billing set-provider --help.");
}

/** The address alone, so that a shell can pass it on. */
function showHandoff({ url, expiresOn }: PortalHandoff, terminal: Terminal): void {
  terminal.print(url);
  terminal.note(`It works once, until ${expiresOn}.`);
}

/** An address is what `tollgate deploy` prints. */
async function deploymentNames(client: Tollgate, given: string[] | undefined): Promise<string[] | undefined> {
  if (!given?.some(isAddress)) return given;
  const deployments = await client.deployments.listAll().all();
  return given.map((one) => {
    if (!isAddress(one)) return one;
    const found = deployments.find(({ url }) => url === one.replace(/\/$/, ""));
    if (!found) throw new UsageError(`No deployment has the address ${one}.`, "tollgate deployments list");
    return found.name;
  });
}

const isAddress = (text: string) => /^https?:\/\//.test(text);

/** The fields of the portal that the options set; the others are undefined. */
async function fieldsOf(given: Given, terminal: Terminal) {
  return {
    title: given.title,
    description: given.description,
    accentColor: given.accentColor,
    meteringBucket: given.meteringBucket,
    signUp: given.signUp,
    signUpPlan: given.signUpPlan,
    recommendedPlan: given.recommendedPlan,
    keyLimit: given.keyLimit,
    termsUrl: given.termsUrl,
    host: given.host,
    oidc: await providerOf(given, terminal),
    oauth: oauthChanges(given),
    plans: given.plan,
    allowedDomains: given.allowedDomain,
    logo: given.logo === undefined ? undefined : await imageIn(given.logo),
    deployments: given.deployment,
    returnOrigins: given.returnOrigin,
    links: given.link && Object.entries(given.link).map(([label, url]) => ({ label, url })),
    isReferencePublic: given.publicReference,
    isEnabled: given.enabled,
  };
}

/** The fields of `oauth` that the options set. Undefined if there are none. */
function oauthChanges({ oauth, oauthRegistration, accessTokenMinutes, refreshDays }: Given) {
  const given = { isEnabled: oauth, registration: oauthRegistration, accessTokenMinutes, refreshDays };
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The secret is not an argument, so that it is not in the shell's history. */
async function providerOf({ oidcIssuer: issuer, oidcClientId: clientId }: Given, terminal: Terminal) {
  if (issuer === undefined && clientId === undefined) return undefined;
  if (issuer === undefined || clientId === undefined)
    throw new UsageError("--oidc-issuer and --oidc-client-id must be set together.");
  return { issuer, clientId, clientSecret: await secretFromStdin(terminal, "Client secret") };
}

const types: Record<string, string> = { png: "png", jpg: "jpeg", jpeg: "jpeg", webp: "webp" };

async function imageIn(path: string): Promise<string> {
  const type = types[path.split(".").at(-1)!.toLowerCase()];
  if (type === undefined) throw new UsageError(`${path} must be a PNG, JPEG or WebP file.`);
  try {
    return `data:image/${type};base64,${(await readFile(path)).toString("base64")}`;
  } catch {
    throw new UsageError(`${path} cannot be read.`);
  }
}
