import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check, X } from "lucide-react";
import { Button } from "../../../components/button.tsx";
import { signedIn, useSession } from "../../queries/session.tsx";
import { type Overview, useDismissed } from "./use-overview.ts";

interface Step {
  name: string;
  title: string;
  text: string;
  action: { label: string; to: string; search?: { new?: true; tab?: string } };
  isDone: boolean;
  /** What is missing before money can be earned, if the step is not done. */
  needed?: string;
}

/** What is left until customers find, buy and pay for the API. Nothing if all of it is done or dismissed. */
export function GoLive({ overview }: { overview: Overview }) {
  const { canEdit, identity } = useSession();
  const { isDismissed, setDismissed } = useDismissed();
  const isOperator = identity.role === "operator";
  const system = useQuery({
    queryKey: ["system"],
    queryFn: ({ signal }) => signedIn.systemStatus({ signal }),
    enabled: isOperator,
  });
  const steps = stepsOf(overview).filter(({ name }) => !isDismissed(name));
  // Only an embedded server has no partitions of usage events. PostgreSQL has its own backups.
  if (system.data?.usageEvents === null && !isDismissed("backup"))
    steps.push({
      name: "backup",
      title: "A backup",
      text: "A copy of the database on another machine, taken by tollgate backup.",
      action: { label: "Show the last one", to: "/settings", search: { tab: "system" } },
      isDone: system.data.lastBackup !== null,
    });
  const open = steps.filter(({ isDone }) => !isDone);
  if (!canEdit || open.length === 0 || isDismissed("go live")) return null;
  const needed = open.flatMap(({ needed: what }) => what ?? []);
  return (
    <section className="card go-live" aria-labelledby="go-live">
      <div className="section-head">
        <h2 id="go-live">Go live</h2>
        <Button kind="quiet" isSmall onClick={() => setDismissed("go live", true)}>
          Dismiss
        </Button>
      </div>
      <p className="muted">
        {needed.length > 0
          ? `Before you can earn money, ${new Intl.ListFormat("en").format(needed)} ${needed.length > 1 ? "are" : "is"} missing.`
          : "Customers can pay. The remaining steps make your API easier to find, use and keep safe."}
      </p>
      <ul className="stack stack-tight">
        {steps.map(({ name, title, text, action, isDone }) => (
          <li className="step" key={name} data-done={isDone || undefined}>
            <span className="step-mark">{isDone && <Check size={14} aria-label="Done" />}</span>
            <span>
              <strong>{title}</strong> {!isDone && <span className="muted">{text}</span>}
            </span>
            {!isDone && (
              <span className="row">
                <Link to={action.to} search={action.search}>
                  {action.label}
                </Link>
                <Button
                  kind="quiet"
                  isSmall
                  isIcon
                  aria-label={`Dismiss: ${title}`}
                  onClick={() => setDismissed(name, true)}
                >
                  <X size={14} aria-hidden />
                </Button>
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function stepsOf({ goLive, money: { isSelling } }: Overview): Step[] {
  const billing = { to: "/settings", search: { tab: "billing" } };
  return [
    {
      name: "price",
      title: "A plan with a price",
      text: "What customers pay in a month or a year, and for usage beyond.",
      action: { label: "Create plan", to: "/plans", search: { new: true } },
      isDone: isSelling,
      needed: "a plan with a price",
    },
    {
      name: "seller",
      title: "The seller",
      text: "Your name and address, which invoices need.",
      action: { label: "Set the seller", ...billing },
      isDone: goLive.hasSeller,
      needed: "the seller of invoices",
    },
    {
      name: "payments",
      title: "Payments",
      text: "Stripe, or by bank transfer with invoices that you mark as paid. The sandbox moves no money.",
      action: { label: "Choose a provider", ...billing },
      isDone: goLive.takesPayments,
      needed: "a way to pay",
    },
    {
      name: "portal",
      title: "A portal with sign-up",
      text: "Where customers choose a plan, pay, and get their keys.",
      action: { label: "Open the portal to customers", to: "/settings", search: { tab: "portal" } },
      isDone: goLive.hasSignUp,
    },
    {
      name: "mail",
      title: "Mail",
      text: "Codes for signing in and receipts are sent once the server has TOLLGATE_SMTP_URL.",
      action: { label: "Show the server", to: "/settings", search: { tab: "system" } },
      isDone: goLive.sendsMail,
    },
    {
      name: "domain",
      title: "A domain of yours",
      text: "For the gateway and the portal, with a certificate.",
      action: { label: "Add a domain", to: "/domains" },
      isDone: goLive.hasDomain,
    },
  ];
}
