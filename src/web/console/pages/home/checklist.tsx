import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { curlOf, type ExampleRequest } from "../../../../lib/text/curl.ts";
import { Button } from "../../../components/button.tsx";
import { Code } from "../../../components/copy.tsx";
import { command } from "../../../lib/shell.ts";
import { defaultBucket } from "../../queries/buckets.tsx";
import { useSession } from "../../queries/session.tsx";
import { ProtectApi } from "./protect-api.tsx";
import { type Overview, useExampleRequest } from "./use-overview.ts";

interface Step {
  title: string;
  text: string;
  command: string;
  action: { label: string; to: string; search?: { new?: true; customer?: string; proxy?: "new" }; isOpen?: boolean };
  isDone: boolean;
}

/** Four steps, each with a command to copy and a button. The commands use existing names. */
export function Checklist({ steps }: { steps: Overview["firstSteps"] }) {
  const { deniedEdit } = useSession();
  const example = useExampleRequest(steps.hasDeployment);
  return (
    <>
      <div className="stack stack-tight first-command">
        <p className="muted">The commands below need the command line to know this server, once:</p>
        <Code text={command("login", window.location.origin)} />
      </div>
      <ol className="steps">
        {stepsOf(steps, example).map(({ title, text, command: line, action, isDone }, index) => (
          <li className="step card" key={title} data-done={isDone || undefined}>
            <span className="step-mark">
              {isDone ? <Check size={14} aria-label="Done" /> : <span aria-hidden>{index + 1}</span>}
            </span>
            <div>
              <h2>{title}</h2>
              <p className="muted">{text}</p>
              {!isDone && <Code text={line} />}
            </div>
            {!isDone &&
              (deniedEdit && !action.isOpen ? (
                <Button denied={deniedEdit}>{action.label}</Button>
              ) : (
                <Link className="button" to={action.to} {...(action.search ? { search: action.search } : {})}>
                  {action.label}
                </Link>
              ))}
          </li>
        ))}
      </ol>
      <ProtectApi />
      {!steps.consumer && !steps.hasDeployment && (
        <div className="stack stack-tight first-command">
          <p className="muted">
            Or look around first, in a server of its own that is full of a shipping API's business:
          </p>
          <Code text={command("demo", "--data-dir", "./demo", "--serve")} />
        </div>
      )}
    </>
  );
}

function stepsOf(
  { consumer, planExternalId: plan, hasSubscription, hasDeployment, hasTraffic }: Overview["firstSteps"],
  example: ExampleRequest | undefined,
): Step[] {
  const customer = consumer ?? "acme";
  return [
    {
      title: "Create a consumer with a key",
      text: "A consumer is a caller of your API and has its own keys.",
      command: command("consumers", "create", "acme", "--with-key"),
      action: { label: "Create consumer", to: "/consumers", search: { new: true } },
      isDone: consumer !== undefined,
    },
    {
      title: "Subscribe it to a plan",
      text: "A plan limits usage per month; a subscription applies it to a consumer.",
      command: [
        ...(plan === undefined
          ? [
              command("metering", "create", "--key-bucket", defaultBucket),
              command("plans", "create", "price_gold", "--label", "Gold", "--meter", "requests=1000"),
            ]
          : []),
        command("subscriptions", "create", customer, "--plan", plan ?? "price_gold"),
      ].join(" && \\\n  "),
      action:
        plan === undefined
          ? { label: "Create plan", to: "/plans", search: { new: true } }
          : { label: `Subscribe ${customer}`, to: "/subscriptions", search: { new: true, customer } },
      isDone: hasSubscription,
    },
    {
      title: "Deploy a gateway in front of your service",
      text: "All it takes is the URL of your API. With an OpenAPI document, each route has its own policies.",
      command: "tollgate init my-gateway && tollgate deploy my-gateway",
      action: { label: "Put it in front of a URL", to: "/deployments", search: { proxy: "new" } },
      isDone: hasDeployment,
    },
    {
      title: "Send the first request",
      text: hasDeployment
        ? "With the consumer's key in KEY, to the address of the deployment."
        : "To the address of the deployment, which is shown here as soon as there is one.",
      command: example ? curlOf(example, "$KEY") : command("deployments", "list"),
      action: { label: "Show deployments", to: "/deployments", isOpen: true },
      isDone: hasTraffic,
    },
  ];
}
