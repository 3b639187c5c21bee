/**
 * The pages that are loaded together, in one file: each page of its own would share a dozen small files with the
 * others, and the first one would wait for all of them.
 */
export { AuditLogPage } from "./audit-log.tsx";
export { BillingPage } from "./billing.tsx";
export { ConfigurationPlanPage } from "./configuration-plan.tsx";
export { ConsumersPage } from "./consumers.tsx";
export { ConsumerPage, CustomerPage } from "./customer.tsx";
export { DeploymentsPage } from "./deployments.tsx";
export { DomainsPage } from "./domains.tsx";
export { KeysPage } from "./keys.tsx";
export { ModelsPage } from "./models.tsx";
export { PlansPage } from "./plans.tsx";
export { RequestsPage } from "./requests.tsx";
export { SearchPage } from "./search.tsx";
export { SimulationPage, SimulationsPage } from "./simulations.tsx";
export { SubscriptionsPage } from "./subscriptions.tsx";
export { WebhookPage } from "./webhook.tsx";
export { WebhooksPage } from "./webhooks.tsx";
