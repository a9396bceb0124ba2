import { render } from "preact";
import "@picocss/pico/css/pico.min.css";
import "./style/index.css";
import { App } from "./App";
import { followLink, watchNegotiation } from "./state/negotiation";
import { followAddress, start } from "./state/workbench";

const holder = document.getElementById("page");
if (holder) render(<App />, holder);

window.addEventListener("hashchange", () => {
  // A link with a token was opened in a tab that already shows the page: begin anew as that person.
  if (location.hash.includes("token=")) {
    location.reload();
    return;
  }
  followAddress();
  followLink();
});
watchNegotiation();
void start();
