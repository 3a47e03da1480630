<?php
/**
 * de_de language for the Sellthrough module. What both billing panels' modules say is in lib/texts/.
 */

foreach (require dirname(__DIR__, 2) . '/lib/texts/german.php' as $key => $text) {
    $lang['Sellthrough.' . $key] = $text;
}

$lang['Sellthrough.name'] = 'Sellthrough';
$lang['Sellthrough.description'] = 'Tarife für Ihre Kunden, bestellt aus Ihrem Guthaben bei Sellthrough.';
$lang['Sellthrough.module_row'] = 'Konto';
$lang['Sellthrough.module_row_plural'] = 'Konten';
$lang['Sellthrough.module_group'] = 'Kontengruppe';
$lang['Sellthrough.add_module_row'] = 'Konto hinzufügen';
$lang['Sellthrough.edit_module_row'] = 'Konto bearbeiten';
$lang['Sellthrough.save'] = 'Speichern';
$lang['Sellthrough.back'] = 'Zurück';
$lang['Sellthrough.edit'] = 'Bearbeiten';
$lang['Sellthrough.delete'] = 'Löschen';
$lang['Sellthrough.confirm_delete'] = 'Möchten Sie dieses Konto wirklich löschen?';
$lang['Sellthrough.no_rows'] = 'Es gibt keine Konten.';
$lang['Sellthrough.options'] = 'Optionen';

$lang['Sellthrough.row.account_name'] = 'Bezeichnung';
$lang['Sellthrough.row.address'] = 'Adresse des Dienstes';
$lang['Sellthrough.row.api_key'] = 'API-Schlüssel';
$lang['Sellthrough.row.prefix'] = 'Präfix der Kunden';
$lang['Sellthrough.row.test'] = 'Test';

$lang['Sellthrough.package.package_id'] = 'Paket';
$lang['Sellthrough.package.cost_limit'] = 'Kostengrenze';
$lang['Sellthrough.package.cost_limit_tip'] = 'Was ein Monat Sie höchstens kosten darf, etwa 12.50. Lassen Sie das Feld für jeden Preis leer.';
$lang['Sellthrough.package.termination'] = 'Kündigung';
$lang['Sellthrough.package.termination_now'] = 'Beendet den Tarif sofort und erstattet die nicht genutzte Zeit';
$lang['Sellthrough.package.termination_period_end'] = 'Lässt die bezahlte Zeit auslaufen';
$lang['Sellthrough.package.step'] = 'Abgleich';
$lang['Sellthrough.package.step_apply'] = 'Verlängerungstermine und Status übernehmen und berichten';
$lang['Sellthrough.package.step_report'] = 'Nur berichten';
$lang['Sellthrough.package.email'] = 'Die E-Mail-Adresse des Kunden bei Sellthrough neben dem Namen zeigen';

$lang['Sellthrough.tab_plan'] = 'Tarif';
$lang['Sellthrough.tab.compare'] = 'Mit Sellthrough vergleichen';
$lang['Sellthrough.tab.link_ready'] = 'Der Link meldet Sie einmal an, innerhalb der nächsten Minuten.';
$lang['Sellthrough.tab.continue'] = 'Weiter zu Ihrem Tarif';

$lang['Sellthrough.getCronTasks.keep_in_step'] = 'Dienste mit Sellthrough vergleichen';
$lang['Sellthrough.getCronTasks.keep_in_step_description'] = 'Rückt Verlängerungstermine auf das vor, was bei Sellthrough bezahlt ist, übernimmt Sperren und Kündigungen und berichtet, was sonst abweicht.';

$lang['Sellthrough.!error.account_name.empty'] = 'Bitte geben Sie eine Bezeichnung ein.';
$lang['Sellthrough.!error.address.format'] = 'Die Adresse muss allein die des Dienstes sein, etwa https://sell.example.com.';
$lang['Sellthrough.!error.api_key.empty'] = 'Bitte geben Sie einen API-Schlüssel ein.';
$lang['Sellthrough.!error.prefix.format'] = 'Das Präfix muss 1 bis 20 Buchstaben, Ziffern, Punkte, Unterstriche oder Bindestriche haben und mit einem Buchstaben oder einer Ziffer beginnen.';
$lang['Sellthrough.!error.package_id.format'] = 'Bitte wählen Sie ein Paket.';
$lang['Sellthrough.!error.cost_limit.format'] = 'Die Kostengrenze muss ein Betrag wie 12.50 sein.';
$lang['Sellthrough.!error.module_row.missing'] = 'Für dieses Paket gibt es kein Konto bei Sellthrough.';
$lang['Sellthrough.!error.service_id'] = 'Fügen Sie den Dienst als ausstehend hinzu und aktivieren Sie ihn dann: Erst dann hat er eine Nummer, ohne die eine wiederholte Bestellung doppelt berechnet werden könnte. Es wurde nichts berechnet.';
$lang['Sellthrough.!error.other_account'] = 'Das neue Paket gehört zu einem anderen Konto bei Sellthrough, in dem es diesen Tarif nicht gibt. Es wurde nichts berechnet. Kündigen Sie diesen Dienst und fügen Sie einen neuen hinzu.';
