import { ExternalLink, Eye } from "lucide-react";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { ErrorNotice } from "../../../components/notice.tsx";
import { CopyAs, useCall } from "../../shell/requests.tsx";

/** Opens the portal as the customer sees it. The address works once, so it is requested when it is needed. */
export function ViewPortal({ bucket, name }: { bucket: string; name: string }) {
  const view = useCall({ call: (api) => api.portal(bucket).view(name) });
  return (
    <>
      <Button isBusy={view.isPending} onClick={() => view.mutate()}>
        <Eye size={16} aria-hidden />
        View portal
      </Button>
      {(view.data || view.error) && (
        <Dialog
          title={`View the portal as ${name}`}
          onClose={() => view.reset()}
          footStart={<CopyAs of={view} />}
          foot={
            view.data && (
              <a
                className="button"
                data-kind="primary"
                href={view.data.url}
                target="_blank"
                rel="noreferrer"
                onClick={() => view.reset()}
              >
                <ExternalLink size={16} aria-hidden />
                Open portal
              </a>
            )
          }
        >
          {view.error && <ErrorNotice error={view.error} />}
          <p>You see what {name} sees and can change nothing. The audit log shows that you viewed it.</p>
          <p className="muted small">The link works once, for two minutes.</p>
        </Dialog>
      )}
    </>
  );
}
