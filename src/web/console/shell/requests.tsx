import { Terminal } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Code, copyWithToast } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Menu } from "../../components/menu.tsx";
import { type CurlRequest, curl } from "../../lib/shell.ts";

/** In the foot of a dialog: what its button would do, as a request and as a command, with what the form holds now. */
export function CopyAs({ request, command }: { request: CurlRequest; command?: string | undefined }) {
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

/** The same thing as a request of the API and as a command: what the console does, a program can. */
export function AsCommand({ request, command }: { request: CurlRequest; command?: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <span className="as-command">
      <Button kind="quiet" title="The same from a terminal" onClick={() => setOpen(true)}>
        <Terminal size={16} aria-hidden />
        <span className="word-if-wide">As command</span>
      </Button>
      {isOpen && (
        <Dialog title="The same from a terminal" isWide onClose={() => setOpen(false)}>
          <div className="stack stack-tight">
            <h3>curl</h3>
            <Code text={curl(window.location.origin, request)} />
          </div>
          {command && (
            <div className="stack stack-tight">
              <h3>Command line</h3>
              <Code text={command} />
            </div>
          )}
        </Dialog>
      )}
    </span>
  );
}
