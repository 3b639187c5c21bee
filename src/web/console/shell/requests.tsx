import { Terminal } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Code, copyWithToast } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Menu } from "../../components/menu.tsx";
import { type CurlRequest, curl, shellWord } from "../../lib/shell.ts";
import { useSession } from "../queries/session.tsx";

interface Same {
  request: CurlRequest;
  command?: string | undefined;
}

/**
 * In the footer of a dialog: the action of its button as a request and as a command, with the current values of the
 * form.
 */
export function CopyAs(same: Same) {
  const { request, command } = useNamedAccount()(same);
  return (
    <Menu
      trigger={
        <Button kind="quiet" title="Copy as curl or command">
          <Terminal size={16} aria-hidden />
          <span className="word-if-wide">Copy as…</span>
        </Button>
      }
      actions={[
        { label: "Copy as curl", onSelect: () => copyWithToast(curl(window.location.origin, request), "curl") },
        {
          label: "Copy as command",
          isHidden: command === undefined,
          onSelect: () => copyWithToast(command!, "Command"),
        },
      ]}
    />
  );
}

/**
 * An action as a request of the API and as a command. `more` contains the actions of neighbouring buttons that have no
 * dialog.
 */
export function AsCommand({ more = [], ...same }: Same & { more?: (Same & { title: string })[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <span className="as-command">
      <Button kind="quiet" title="The same from a terminal" onClick={() => setOpen(true)}>
        <Terminal size={16} aria-hidden />
        <span className="word-if-wide">As command</span>
      </Button>
      {isOpen && (
        <Dialog title="The same from a terminal" isWide onClose={() => setOpen(false)}>
          <Commands {...same} />
          {more.map((each) => (
            <Commands key={each.title} {...each} />
          ))}
        </Dialog>
      )}
    </span>
  );
}

function Commands({ title, ...same }: Same & { title?: string }) {
  const { request, command } = useNamedAccount()(same);
  return (
    <>
      <div className="stack stack-tight">
        <h3>{title ? `${title}: curl` : "curl"}</h3>
        <Code text={curl(window.location.origin, request)} />
      </div>
      {command && (
        <div className="stack stack-tight">
          <h3>{title ? `${title}: command line` : "Command line"}</h3>
          <Code text={command} />
        </div>
      )}
    </>
  );
}

/** On these paths the account is the token's; the operator's token has none. */
const inAccountOfToken = /^\/v1\/(deployments|metering|analytics|requests)\b/;

/** The operator's requests must name the account. */
function useNamedAccount(): (same: Same) => Same {
  const { account, accounts } = useSession();
  if (!accounts) return (same) => same;
  return ({ request, command }) => {
    const { path } = request;
    const named = `${path}${path.includes("?") ? "&" : "?"}accountName=${encodeURIComponent(account)}`;
    return {
      request: inAccountOfToken.test(path) ? { ...request, path: named } : request,
      command: command && `${command} --account ${shellWord(account)}`,
    };
  };
}
