/** Subscriptions as other areas read them in bulk: without the meters of their plans, which may be megabytes. */
export { planSummaries, plansOf } from "./subscribed-plans-store.ts";
export {
  findSubscriptionsForUpdate,
  type OwnerRow,
  type SubscriptionRow,
  subscriptionSeqsAfter,
  subscriptionsOfCustomer,
  subscriptionsOfCustomers,
  subscriptionsWithSeqs as subscriptionRowsWithSeqs,
  usableSubscriptionsOf,
} from "./subscription-store.ts";
