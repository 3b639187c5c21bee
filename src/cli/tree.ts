import type { Command, Group } from "./arguments/command.ts";

type Loader = () => Promise<Command | Group>;

/** Every command and group by name, loaded on demand, in the sections of the help. */
export const sections: Record<string, Record<string, Loader>> = {
  "A server": {
    serve: () => import("./commands/serve.ts").then(({ serve }) => serve),
    status: () => import("./commands/status.ts").then(({ status }) => status),
    health: () => import("./commands/status.ts").then(({ health }) => health),
    demo: () => import("./commands/demo.ts").then(({ demo }) => demo),
    backup: () => import("./commands/maintenance.ts").then(({ backup }) => backup),
    restore: () => import("./commands/maintenance.ts").then(({ restore }) => restore),
    migrate: () => import("./commands/maintenance.ts").then(({ migrate }) => migrate),
    reseal: () => import("./commands/maintenance.ts").then(({ reseal }) => reseal),
  },
  "Server and login": {
    login: () => import("./commands/login.ts").then(({ login }) => login),
    logout: () => import("./commands/login.ts").then(({ logout }) => logout),
    whoami: () => import("./commands/login.ts").then(({ whoami }) => whoami),
  },
  "Keys and consumers": {
    buckets: () => import("./commands/buckets.ts").then(({ buckets }) => buckets),
    consumers: () => import("./commands/consumers.ts").then(({ consumers }) => consumers),
    keys: () => import("./commands/keys.ts").then(({ keys }) => keys),
    verifications: () => import("./commands/analytics.ts").then(({ verifications }) => verifications),
    managers: () => import("./commands/managers.ts").then(({ managers }) => managers),
    portal: () => import("./commands/portal.ts").then(({ portal }) => portal),
    clients: () => import("./commands/oauth.ts").then(({ clients }) => clients),
    authorizations: () => import("./commands/oauth.ts").then(({ authorizations }) => authorizations),
    import: () => import("./commands/import.ts").then(({ importKeys }) => importKeys),
    search: () => import("./commands/search.ts").then(({ search }) => search),
    jobs: () => import("./commands/jobs.ts").then(({ jobs }) => jobs),
  },
  "Plans and usage": {
    metering: () => import("./commands/metering.ts").then(({ metering }) => metering),
    plans: () => import("./commands/plans.ts").then(({ plans }) => plans),
    subscriptions: () => import("./commands/subscriptions.ts").then(({ subscriptions }) => subscriptions),
    usage: () => import("./commands/usage.ts").then(({ usage }) => usage),
    events: () => import("./commands/usage.ts").then(({ events }) => events),
  },
  Billing: {
    billing: () => import("./commands/billing.ts").then(({ billing }) => billing),
    customers: () => import("./commands/customers.ts").then(({ customers }) => customers),
    credits: () => import("./commands/credits.ts").then(({ credits }) => credits),
    grants: () => import("./commands/grants.ts").then(({ grants }) => grants),
    invoices: () => import("./commands/invoices.ts").then(({ invoices }) => invoices),
  },
  Gateways: {
    init: () => import("./commands/init.ts").then(({ init }) => init),
    dev: () => import("./commands/dev.ts").then(({ dev }) => dev),
    deploy: () => import("./commands/deploy.ts").then(({ deploy }) => deploy),
    pack: () => import("./commands/dev.ts").then(({ pack }) => pack),
    promote: () => import("./commands/deploy.ts").then(({ promote }) => promote),
    deployments: () => import("./commands/deployments.ts").then(({ deployments }) => deployments),
    traffic: () => import("./commands/traffic.ts").then(({ traffic }) => traffic),
    domains: () => import("./commands/domains.ts").then(({ domains }) => domains),
    variables: () => import("./commands/variables.ts").then(({ variables }) => variables),
    requests: () => import("./commands/requests.ts").then(({ requests }) => requests),
    explain: () => import("./commands/requests.ts").then(({ explain }) => explain),
    analytics: () => import("./commands/analytics.ts").then(({ analytics }) => analytics),
    models: () => import("./commands/analytics.ts").then(({ models }) => models),
  },
  "Configuration as code": {
    dump: () => import("./commands/configuration.ts").then(({ dump }) => dump),
    diff: () => import("./commands/configuration.ts").then(({ diff }) => diff),
    apply: () => import("./commands/configuration.ts").then(({ apply }) => apply),
  },
  "Access to the management API": {
    accounts: () => import("./commands/accounts.ts").then(({ accounts }) => accounts),
    members: () => import("./commands/members.ts").then(({ members }) => members),
    tokens: () => import("./commands/tokens.ts").then(({ tokens }) => tokens),
    issuers: () => import("./commands/issuers.ts").then(({ issuers }) => issuers),
    sessions: () => import("./commands/members.ts").then(({ sessions }) => sessions),
    webhooks: () => import("./commands/webhooks.ts").then(({ webhooks }) => webhooks),
    audit: () => import("./commands/audit.ts").then(({ audit }) => audit),
    exports: () => import("./commands/exports.ts").then(({ exports }) => exports),
  },
  "This program": {
    completion: () => import("./commands/program.ts").then(({ completion }) => completion),
    version: () => import("./commands/program.ts").then(({ version }) => version),
    help: () => import("./commands/program.ts").then(({ help }) => help),
  },
};

const loaders: Record<string, Loader> = Object.assign({}, ...Object.values(sections));

export const names = Object.keys(loaders);

/** Undefined if there is no such command or group. */
export async function load(name: string): Promise<Command | Group | undefined> {
  return Object.hasOwn(loaders, name) ? loaders[name]!() : undefined;
}

export function isGroup(entry: Command | Group): entry is Group {
  return "commands" in entry;
}

/** All commands with their names as typed. */
export async function allCommands(): Promise<{ name: string; command: Command }[]> {
  const entries = await Promise.all(names.map(async (name) => [name, (await load(name))!] as const));
  return entries.flatMap(([name, entry]) =>
    isGroup(entry)
      ? Object.entries(entry.commands).map(([verb, command]) => ({ name: `${name} ${verb}`, command }))
      : [{ name, command: entry }],
  );
}
