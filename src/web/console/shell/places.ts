import {
  Activity,
  Banknote,
  Boxes,
  BrainCircuit,
  Globe,
  House,
  KeyRound,
  type LucideIcon,
  ReceiptText,
  Rocket,
  ScrollText,
  Settings,
  Users,
  Webhook,
} from "lucide-react";

export interface Place {
  to: string;
  label: string;
  icon: LucideIcon;
  /** Other words that find it. */
  about?: string;
  /** Shown below the separator. */
  isSecond?: boolean;
  /** Also for people whose role is limited to projects. */
  isForProjects?: boolean;
}

/** The entries of the sidebar and the command palette. */
export const places: Place[] = [
  { to: "/", label: "Home", icon: House },
  { to: "/consumers", label: "Consumers", icon: Users, about: "customers clients applications apps" },
  { to: "/keys", label: "Keys", icon: KeyRound, about: "credentials leaked expired unused" },
  { to: "/plans", label: "Plans", icon: Boxes, about: "prices pricing tiers quotas meters" },
  { to: "/subscriptions", label: "Subscriptions", icon: ReceiptText, about: "trials canceled" },
  { to: "/billing", label: "Billing", icon: Banknote, about: "money" },
  {
    to: "/deployments",
    label: "Deployments",
    icon: Rocket,
    about: "gateways projects apis versions builds",
    isForProjects: true,
  },
  { to: "/domains", label: "Domains", icon: Globe, about: "hosts dns certificates tls ssl" },
  { to: "/requests", label: "Requests", icon: Activity, about: "logs traffic errors rejected 401 403 429 latency" },
  { to: "/models", label: "Models", icon: BrainCircuit, about: "llm ai openai anthropic tokens cost" },
  { to: "/webhooks", label: "Webhooks", icon: Webhook, about: "events hooks deliveries", isSecond: true },
  { to: "/audit-log", label: "Audit log", icon: ScrollText, about: "history changes who", isSecond: true },
  { to: "/settings", label: "Settings", icon: Settings, isSecond: true, isForProjects: true },
];

type NamedTab = Pick<Place, "to" | "label" | "about"> & { search?: Record<string, string> };

/** Tabs and lists that have a name of their own, for the palette. */
export const namedTabs: NamedTab[] = [
  { label: "Simulations", to: "/plans/simulations", about: "prices effect what if forecast" },
  {
    label: "Unpaid invoices",
    to: "/billing",
    search: { tab: "unpaid" },
    about: "past due overdue owed dunning failed",
  },
  { label: "Payments", to: "/billing", search: { tab: "payments" }, about: "refunds paid received" },
  { label: "Billed customers", to: "/billing", search: { tab: "customers" }, about: "caps balances top-up" },
  { label: "Credit packs", to: "/billing", search: { tab: "packs" }, about: "prepaid grants vouchers" },
  { label: "Revenue", to: "/billing", search: { tab: "revenue" }, about: "mrr churn income growth" },
  { label: "Past-due subscriptions", to: "/subscriptions", search: { status: "past-due" }, about: "blocked unpaid" },
  { label: "Refund a paid invoice", to: "/billing", search: { status: "paid" }, about: "return money credit note" },
  { label: "Rejected requests", to: "/requests", search: { status: "4xx" }, about: "errors blocked denied 401 429" },
];
