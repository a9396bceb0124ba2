/** Light or dark: what the system says, unless the reader chose. */

import { computed, effect, signal } from "@preact/signals";

export type Theme = "auto" | "light" | "dark";

const KEY = "incrowd-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(system.matches);
system.addEventListener("change", (event) => {
  systemIsDark.value = event.matches;
});

function kept(): Theme {
  try {
    const found = localStorage.getItem(KEY);
    return found === "light" || found === "dark" ? found : "auto";
  } catch {
    return "auto";
  }
}

export const theme = signal<Theme>(kept());
export const isDark = computed(() => (theme.value === "auto" ? systemIsDark.value : theme.value === "dark"));

effect(() => {
  document.documentElement.dataset.theme = isDark.value ? "dark" : "light";
  try {
    localStorage.setItem(KEY, theme.value);
  } catch {
    // The choice then lasts until the next reload.
  }
});
