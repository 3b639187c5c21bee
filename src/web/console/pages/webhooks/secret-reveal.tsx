import { Button } from "../../../components/button.tsx";
import { Code } from "../../../components/copy.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Notice } from "../../../components/notice.tsx";
import { command } from "../../../lib/shell.ts";

/** Shows a webhook's secret, once. */
export function SecretReveal({ title, secret, onClose }: { title: string; secret: string; onClose: () => void }) {
  return (
    <Dialog
      title={title}
      isWide
      isStubborn
      onClose={onClose}
      foot={
        <Button kind="primary" onClick={onClose}>
          I have stored it
        </Button>
      }
    >
      <Notice kind="warning">Copy it now: it is not shown again. Your receiver verifies signatures with it.</Notice>
      <Code text={secret} isSecret />
      <div className="stack stack-tight">
        <h3>See what arrives, on your machine</h3>
        <Code text={command("webhooks", "listen", "--secret", secret)} />
      </div>
    </Dialog>
  );
}
