import type { Command } from "./arguments/command.ts";

type Loader = () => Promise<{ command: Command }>;

export interface Group {
  summary: string;
  /** The command that the group's name alone runs. */
  default?: string;
  commands: Record<string, Loader>;
}

/** Every command by name, loaded on demand. */
export const tree: Record<string, Loader | Group> = {
  serve: () => import("./commands/serve.ts"),
  demo: () => import("./commands/demo.ts"),
  login: () => import("./commands/login.ts"),
  logout: () => import("./commands/logout.ts"),
  whoami: () => import("./commands/whoami.ts"),
  status: () => import("./commands/status.ts"),
  health: () => import("./commands/health.ts"),
  accounts: {
    summary: "The accounts of an installation (for the operator)",
    commands: {
      list: () => import("./commands/accounts/list.ts"),
      create: () => import("./commands/accounts/create.ts"),
      show: () => import("./commands/accounts/show.ts"),
      delete: () => import("./commands/accounts/delete.ts"),
    },
  },
  tokens: {
    summary: "Tokens: credentials of the management API",
    commands: {
      list: () => import("./commands/tokens/list.ts"),
      create: () => import("./commands/tokens/create.ts"),
      show: () => import("./commands/tokens/show.ts"),
      delete: () => import("./commands/tokens/delete.ts"),
      exchange: () => import("./commands/tokens/exchange.ts"),
    },
  },
  exports: {
    summary: "Exports: copies of events, requests, invoices and the audit log in object storage, by hour",
    commands: {
      list: () => import("./commands/exports/list.ts"),
      create: () => import("./commands/exports/create.ts"),
      show: () => import("./commands/exports/show.ts"),
      update: () => import("./commands/exports/update.ts"),
      backfill: () => import("./commands/exports/backfill.ts"),
      delete: () => import("./commands/exports/delete.ts"),
    },
  },
  issuers: {
    summary: "Trusted issuers: CI services whose jobs need no stored token",
    commands: {
      list: () => import("./commands/issuers/list.ts"),
      create: () => import("./commands/issuers/create.ts"),
      show: () => import("./commands/issuers/show.ts"),
      update: () => import("./commands/issuers/update.ts"),
      delete: () => import("./commands/issuers/delete.ts"),
    },
  },
  members: {
    summary: "The people of an account, and invitations",
    commands: {
      list: () => import("./commands/members/list.ts"),
      invite: () => import("./commands/members/invite.ts"),
      resend: () => import("./commands/members/resend.ts"),
      show: () => import("./commands/members/show.ts"),
      update: () => import("./commands/members/update.ts"),
      remove: () => import("./commands/members/remove.ts"),
    },
  },
  sessions: {
    summary: "Browsers that are signed in",
    commands: {
      list: () => import("./commands/sessions/list.ts"),
      end: () => import("./commands/sessions/end.ts"),
    },
  },
  buckets: {
    summary: "Key buckets: containers for consumers and their keys",
    commands: {
      list: () => import("./commands/buckets/list.ts"),
      create: () => import("./commands/buckets/create.ts"),
      show: () => import("./commands/buckets/show.ts"),
      update: () => import("./commands/buckets/update.ts"),
      delete: () => import("./commands/buckets/delete.ts"),
    },
  },
  consumers: {
    summary: "Consumers: named holders of API keys",
    commands: {
      list: () => import("./commands/consumers/list.ts"),
      create: () => import("./commands/consumers/create.ts"),
      show: () => import("./commands/consumers/show.ts"),
      update: () => import("./commands/consumers/update.ts"),
      delete: () => import("./commands/consumers/delete.ts"),
      tag: () => import("./commands/consumers/tag.ts"),
      purge: () => import("./commands/consumers/purge.ts"),
      suspend: () => import("./commands/consumers/suspend.ts"),
      resume: () => import("./commands/consumers/resume.ts"),
    },
  },
  managers: {
    summary: "The managers of consumers' keys, and invites",
    commands: {
      list: () => import("./commands/managers/list.ts"),
      add: () => import("./commands/managers/add.ts"),
      update: () => import("./commands/managers/update.ts"),
      delete: () => import("./commands/managers/delete.ts"),
      invites: () => import("./commands/managers/invites.ts"),
      invite: () => import("./commands/managers/invite.ts"),
      accept: () => import("./commands/managers/accept.ts"),
      withdraw: () => import("./commands/managers/withdraw.ts"),
    },
  },
  keys: {
    summary: "API keys: create, roll, verify, revoke",
    commands: {
      list: () => import("./commands/keys/list.ts"),
      create: () => import("./commands/keys/create.ts"),
      show: () => import("./commands/keys/show.ts"),
      update: () => import("./commands/keys/update.ts"),
      delete: () => import("./commands/keys/delete.ts"),
      roll: () => import("./commands/keys/roll.ts"),
      verify: () => import("./commands/keys/verify.ts"),
      find: () => import("./commands/keys/find.ts"),
      revoke: () => import("./commands/keys/revoke.ts"),
      disable: () => import("./commands/keys/disable.ts"),
      enable: () => import("./commands/keys/enable.ts"),
      leaked: () => import("./commands/keys/leaked.ts"),
    },
  },
  jobs: {
    summary: "Jobs: bulk changes that continue in the background",
    commands: { show: () => import("./commands/jobs/show.ts") },
  },
  import: () => import("./commands/import.ts"),
  search: () => import("./commands/search.ts"),
  metering: {
    summary: "Metering buckets: containers for plans, subscriptions and usage",
    commands: {
      list: () => import("./commands/metering/list.ts"),
      create: () => import("./commands/metering/create.ts"),
      show: () => import("./commands/metering/show.ts"),
      update: () => import("./commands/metering/update.ts"),
      delete: () => import("./commands/metering/delete.ts"),
      reconcile: () => import("./commands/metering/reconcile.ts"),
      "move-clock": () => import("./commands/metering/move-clock.ts"),
      mails: () => import("./commands/metering/mails.ts"),
    },
  },
  pack: () => import("./commands/pack.ts"),
  plans: {
    summary: "Plans: the limits of subscribers",
    commands: {
      list: () => import("./commands/plans/list.ts"),
      create: () => import("./commands/plans/create.ts"),
      show: () => import("./commands/plans/show.ts"),
      update: () => import("./commands/plans/update.ts"),
      delete: () => import("./commands/plans/delete.ts"),
    },
  },
  subscriptions: {
    summary: "Subscriptions: customers and their plans",
    commands: {
      list: () => import("./commands/subscriptions/list.ts"),
      create: () => import("./commands/subscriptions/create.ts"),
      show: () => import("./commands/subscriptions/show.ts"),
      update: () => import("./commands/subscriptions/update.ts"),
      change: () => import("./commands/subscriptions/change.ts"),
      cancel: () => import("./commands/subscriptions/cancel.ts"),
      purchase: () => import("./commands/subscriptions/purchase.ts"),
      pause: () => import("./commands/subscriptions/pause.ts"),
      resume: () => import("./commands/subscriptions/resume.ts"),
      delete: () => import("./commands/subscriptions/delete.ts"),
    },
  },
  customers: {
    summary: "Customers: who pays for subscriptions",
    commands: {
      list: () => import("./commands/customers/list.ts"),
      show: () => import("./commands/customers/show.ts"),
      update: () => import("./commands/customers/update.ts"),
      "set-payment-method": () => import("./commands/customers/set-payment-method.ts"),
      "delete-payment-method": () => import("./commands/customers/delete-payment-method.ts"),
      "payment-portal": () => import("./commands/customers/payment-portal.ts"),
    },
  },
  grants: {
    summary: "Grants: credits of customers, in units of a meter or money",
    commands: {
      list: () => import("./commands/grants/list.ts"),
      create: () => import("./commands/grants/create.ts"),
      show: () => import("./commands/grants/show.ts"),
      entries: () => import("./commands/grants/entries.ts"),
      history: () => import("./commands/grants/history.ts"),
      void: () => import("./commands/grants/void.ts"),
    },
  },
  credits: {
    summary: "Credit packs: credit that customers buy",
    commands: {
      list: () => import("./commands/credits/list.ts"),
      create: () => import("./commands/credits/create.ts"),
      show: () => import("./commands/credits/show.ts"),
      update: () => import("./commands/credits/update.ts"),
      delete: () => import("./commands/credits/delete.ts"),
      sell: () => import("./commands/credits/sell.ts"),
      purchases: () => import("./commands/credits/purchases.ts"),
      refund: () => import("./commands/credits/refund.ts"),
    },
  },
  invoices: {
    summary: "Invoices and credit notes",
    commands: {
      list: () => import("./commands/invoices/list.ts"),
      show: () => import("./commands/invoices/show.ts"),
      print: () => import("./commands/invoices/print.ts"),
      upcoming: () => import("./commands/invoices/upcoming.ts"),
      finalize: () => import("./commands/invoices/finalize.ts"),
      "mark-paid": () => import("./commands/invoices/mark-paid.ts"),
      collect: () => import("./commands/invoices/collect.ts"),
      confirm: () => import("./commands/invoices/confirm.ts"),
      void: () => import("./commands/invoices/void.ts"),
      "mark-uncollectible": () => import("./commands/invoices/mark-uncollectible.ts"),
      credit: () => import("./commands/invoices/credit.ts"),
      payments: () => import("./commands/invoices/payments.ts"),
      revenue: () => import("./commands/invoices/revenue.ts"),
    },
  },
  billing: {
    summary: "The seller that invoices name, and how they are paid",
    commands: {
      show: () => import("./commands/billing/show.ts"),
      set: () => import("./commands/billing/set.ts"),
      provider: () => import("./commands/billing/provider.ts"),
      "set-provider": () => import("./commands/billing/set-provider.ts"),
      compare: () => import("./commands/billing/compare.ts"),
    },
  },
  usage: {
    summary: "Usage of subscriptions",
    commands: {
      list: () => import("./commands/usage/list.ts"),
      show: () => import("./commands/usage/show.ts"),
      series: () => import("./commands/usage/series.ts"),
      history: () => import("./commands/usage/history.ts"),
      consume: () => import("./commands/usage/consume.ts"),
      settle: () => import("./commands/usage/settle.ts"),
      release: () => import("./commands/usage/release.ts"),
    },
  },
  events: {
    summary: "Usage events",
    commands: {
      send: () => import("./commands/events/send.ts"),
      void: () => import("./commands/events/void.ts"),
    },
  },
  deploy: () => import("./commands/deploy.ts"),
  promote: () => import("./commands/promote.ts"),
  deployments: {
    summary: "Deployed gateways: versions, roll-back, logs",
    commands: {
      list: () => import("./commands/deployments/list.ts"),
      show: () => import("./commands/deployments/show.ts"),
      versions: () => import("./commands/deployments/versions.ts"),
      version: () => import("./commands/deployments/version.ts"),
      routes: () => import("./commands/deployments/routes.ts"),
      changes: () => import("./commands/deployments/changes.ts"),
      upstreams: () => import("./commands/deployments/upstreams.ts"),
      rollback: () => import("./commands/deployments/rollback.ts"),
      redeploy: () => import("./commands/deployments/redeploy.ts"),
      delete: () => import("./commands/deployments/delete.ts"),
      logs: () => import("./commands/deployments/logs.ts"),
    },
  },
  traffic: {
    summary: "Canary releases: a second version of a deployment with a share of the requests",
    commands: {
      show: () => import("./commands/traffic/show.ts"),
      split: () => import("./commands/traffic/split.ts"),
      promote: () => import("./commands/traffic/promote.ts"),
      stop: () => import("./commands/traffic/stop.ts"),
      test: () => import("./commands/traffic/test.ts"),
    },
  },
  portal: {
    summary: "The site where customers manage their keys",
    commands: {
      list: () => import("./commands/portal/list.ts"),
      show: () => import("./commands/portal/show.ts"),
      set: () => import("./commands/portal/set.ts"),
      delete: () => import("./commands/portal/delete.ts"),
      "hand-off": () => import("./commands/portal/hand-off.ts"),
      view: () => import("./commands/portal/view.ts"),
      requests: () => import("./commands/portal/requests.ts"),
      funnel: () => import("./commands/portal/funnel.ts"),
      approve: () => import("./commands/portal/approve.ts"),
      deny: () => import("./commands/portal/deny.ts"),
      "rotate-oauth-key": () => import("./commands/portal/rotate-oauth-key.ts"),
    },
  },
  clients: {
    summary: "OAuth clients: programs that customers can authorize",
    commands: {
      list: () => import("./commands/clients/list.ts"),
      create: () => import("./commands/clients/create.ts"),
      show: () => import("./commands/clients/show.ts"),
      update: () => import("./commands/clients/update.ts"),
      delete: () => import("./commands/clients/delete.ts"),
    },
  },
  authorizations: {
    summary: "What customers have authorized programs to do",
    commands: {
      list: () => import("./commands/authorizations/list.ts"),
      show: () => import("./commands/authorizations/show.ts"),
      end: () => import("./commands/authorizations/end.ts"),
    },
  },
  domains: {
    summary: "Custom domains: your own hosts for deployments",
    commands: {
      list: () => import("./commands/domains/list.ts"),
      add: () => import("./commands/domains/add.ts"),
      show: () => import("./commands/domains/show.ts"),
      update: () => import("./commands/domains/update.ts"),
      check: () => import("./commands/domains/check.ts"),
      remove: () => import("./commands/domains/remove.ts"),
    },
  },
  audit: {
    summary: "The audit log: changes with their actors",
    commands: {
      list: () => import("./commands/audit/list.ts"),
      export: () => import("./commands/audit/export.ts"),
      verify: () => import("./commands/audit/verify.ts"),
    },
  },
  variables: {
    summary: "Variables and secrets of gateway projects",
    commands: {
      list: () => import("./commands/variables/list.ts"),
      set: () => import("./commands/variables/set.ts"),
      unset: () => import("./commands/variables/unset.ts"),
    },
  },
  requests: {
    summary: "Requests to deployments, and the reasons of their outcomes",
    default: "list",
    commands: {
      list: () => import("./commands/requests/list.ts"),
      show: () => import("./commands/requests/show.ts"),
    },
  },
  webhooks: {
    summary: "Webhooks: URLs that receive events",
    commands: {
      list: () => import("./commands/webhooks/list.ts"),
      create: () => import("./commands/webhooks/create.ts"),
      show: () => import("./commands/webhooks/show.ts"),
      update: () => import("./commands/webhooks/update.ts"),
      delete: () => import("./commands/webhooks/delete.ts"),
      "rotate-secret": () => import("./commands/webhooks/rotate-secret.ts"),
      test: () => import("./commands/webhooks/test.ts"),
      deliveries: () => import("./commands/webhooks/deliveries.ts"),
      retry: () => import("./commands/webhooks/retry.ts"),
      replay: () => import("./commands/webhooks/replay.ts"),
      listen: () => import("./commands/webhooks/listen.ts"),
    },
  },
  dump: () => import("./commands/dump.ts"),
  diff: () => import("./commands/diff.ts"),
  apply: () => import("./commands/apply.ts"),
  explain: () => import("./commands/explain.ts"),
  analytics: () => import("./commands/analytics.ts"),
  verifications: () => import("./commands/verifications.ts"),
  models: () => import("./commands/models.ts"),
  init: () => import("./commands/init.ts"),
  dev: () => import("./commands/dev.ts"),
  backup: () => import("./commands/backup.ts"),
  restore: () => import("./commands/restore.ts"),
  migrate: () => import("./commands/migrate.ts"),
  reseal: () => import("./commands/reseal.ts"),
  completion: () => import("./commands/completion.ts"),
  version: () => import("./commands/version.ts"),
  help: () => import("./commands/help.ts"),
};

export function isGroup(entry: Loader | Group): entry is Group {
  return typeof entry !== "function";
}

/** All commands with their names as typed. */
export async function allCommands(): Promise<{ name: string; command: Command }[]> {
  const loaders = Object.entries(tree).flatMap(([name, entry]): [string, Loader][] =>
    isGroup(entry) ? Object.entries(entry.commands).map(([verb, load]) => [`${name} ${verb}`, load]) : [[name, entry]],
  );
  return Promise.all(loaders.map(async ([name, load]) => ({ name, command: (await load()).command })));
}
