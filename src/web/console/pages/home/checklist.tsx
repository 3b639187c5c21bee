import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { Code } from "../../../components/copy.tsx";
import { command, shellWord } from "../../../lib/shell.ts";
import { useSession } from "../../queries/session.tsx";
import type { Progress } from "./progress.ts";

interface Step {
  title: string;
  text: string;
  command: string;
  action: ReactNode;
  isDone: boolean;
}

/** Four steps, each a command to copy and a button. The commands name what is there by then. */
export function Checklist({ progress }: { progress: Progress }) {
  const { canEdit } = useSession();
  return (
    <>
      <div className="stack stack-tight first-command">
        <p className="muted">The commands below need the command line to know this server, once:</p>
        <Code text={command("login", window.location.origin)} />
      </div>
      <ol className="steps">
        {stepsOf(progress).map(({ title, text, command: line, action, isDone }, index) => (
          <li className="step card" key={title} data-done={isDone || undefined}>
            <span className="step-mark">
              {isDone ? <Check size={14} aria-label="Done" /> : <span aria-hidden>{index + 1}</span>}
            </span>
            <div>
              <h2>{title}</h2>
              <p className="muted">{text}</p>
              {!isDone && <Code text={line} />}
            </div>
            {!isDone && canEdit && action}
          </li>
        ))}
      </ol>
    </>
  );
}

function stepsOf({ consumer, plan, subscription, gateway, request }: Progress): Step[] {
  const customer = consumer ?? "acme";
  return [
    {
      title: "Create a consumer with a key",
      text: "Whoever calls your API is a consumer and has keys of its own.",
      command: command("consumers", "create", "acme", "--with-key"),
      action: (
        <Link className="button" to="/consumers" search={{ new: true }}>
          Create consumer
        </Link>
      ),
      isDone: consumer !== undefined,
    },
    {
      title: "Subscribe it to a plan",
      text: "A plan limits what is used in a month; a subscription holds a consumer to it.",
      command: [
        ...(plan === undefined
          ? [
              command("metering", "create"),
              command("plans", "create", "price_gold", "--label", "Gold", "--meter", "requests=1000"),
            ]
          : []),
        command("subscriptions", "create", customer, "--plan", plan ?? "price_gold"),
      ].join(" && \\\n  "),
      action:
        plan === undefined ? (
          <Link className="button" to="/plans" search={{ new: true }}>
            Create plan
          </Link>
        ) : (
          <Link className="button" to="/subscriptions" search={{ new: true, customer }}>
            Subscribe {customer}
          </Link>
        ),
      isDone: subscription,
    },
    {
      title: "Deploy a gateway in front of your service",
      text: "An OpenAPI document says which policies guard each route, and where it leads.",
      command: "tollgate init my-gateway && tollgate deploy my-gateway",
      action: (
        <Link className="button" to="/deployments" search={{ new: true }}>
          Deploy
        </Link>
      ),
      isDone: gateway !== undefined,
    },
    {
      title: "Send the first request",
      text: gateway
        ? "With the consumer's key in KEY, to the address of the deployment."
        : "To the address of the deployment: it stands here as soon as there is one.",
      command: gateway
        ? `curl ${shellWord(gateway.url + gateway.path)} -H "Authorization: Bearer $KEY"`
        : command("deployments", "list"),
      action: (
        <Link className="button" to="/deployments">
          Show deployments
        </Link>
      ),
      isDone: request,
    },
  ];
}
