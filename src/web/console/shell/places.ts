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
  /** Shown below the separator. */
  isSecond?: boolean;
  /** Also for people whose role is limited to projects. */
  isForProjects?: boolean;
}

/** The entries of the sidebar and the command palette. */
export const places: Place[] = [
  { to: "/", label: "Home", icon: House },
  { to: "/consumers", label: "Consumers", icon: Users },
  { to: "/keys", label: "Keys", icon: KeyRound },
  { to: "/plans", label: "Plans", icon: Boxes },
  { to: "/subscriptions", label: "Subscriptions", icon: ReceiptText },
  { to: "/billing", label: "Billing", icon: Banknote },
  { to: "/deployments", label: "Deployments", icon: Rocket, isForProjects: true },
  { to: "/domains", label: "Domains", icon: Globe },
  { to: "/requests", label: "Requests", icon: Activity },
  { to: "/models", label: "Models", icon: BrainCircuit },
  { to: "/webhooks", label: "Webhooks", icon: Webhook, isSecond: true },
  { to: "/audit-log", label: "Audit log", icon: ScrollText, isSecond: true },
  { to: "/settings", label: "Settings", icon: Settings, isSecond: true, isForProjects: true },
];
