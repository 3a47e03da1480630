<?php
/**
 * en_us language for the Sellthrough module. What both billing panels' modules say is in lib/texts/.
 */

foreach (require dirname(__DIR__, 2) . '/lib/texts/english.php' as $key => $text) {
    $lang['Sellthrough.' . $key] = $text;
}

$lang['Sellthrough.name'] = 'Sellthrough';
$lang['Sellthrough.description'] = 'Subscription plans for your clients, ordered out of your balance at Sellthrough.';
$lang['Sellthrough.module_row'] = 'Account';
$lang['Sellthrough.module_row_plural'] = 'Accounts';
$lang['Sellthrough.module_group'] = 'Account Group';
$lang['Sellthrough.add_module_row'] = 'Add Account';
$lang['Sellthrough.edit_module_row'] = 'Edit Account';
$lang['Sellthrough.save'] = 'Save';
$lang['Sellthrough.back'] = 'Back';
$lang['Sellthrough.edit'] = 'Edit';
$lang['Sellthrough.delete'] = 'Delete';
$lang['Sellthrough.confirm_delete'] = 'Are you sure you want to delete this account?';
$lang['Sellthrough.no_rows'] = 'There are no accounts.';
$lang['Sellthrough.options'] = 'Options';

$lang['Sellthrough.row.account_name'] = 'Label';
$lang['Sellthrough.row.address'] = 'Address of the service';
$lang['Sellthrough.row.api_key'] = 'API key';
$lang['Sellthrough.row.prefix'] = 'Prefix of customers';
$lang['Sellthrough.row.test'] = 'Test';

$lang['Sellthrough.package.package_id'] = 'Package';
$lang['Sellthrough.package.cost_limit'] = 'Cost limit';
$lang['Sellthrough.package.cost_limit_tip'] = 'The most that a month may cost you, such as 12.50. Leave it empty for any price.';
$lang['Sellthrough.package.termination'] = 'Cancellation';
$lang['Sellthrough.package.termination_now'] = 'Ends the plan at once and gives back the unused time';
$lang['Sellthrough.package.termination_period_end'] = 'Lets the paid time run out';
$lang['Sellthrough.package.step'] = 'Keep in step';
$lang['Sellthrough.package.step_apply'] = 'Take over renewal dates and status, and report';
$lang['Sellthrough.package.step_report'] = 'Report only';
$lang['Sellthrough.package.email'] = 'Show the client’s e-mail address beside the name at Sellthrough';

$lang['Sellthrough.tab_plan'] = 'Plan';
$lang['Sellthrough.tab.compare'] = 'Compare with Sellthrough';
$lang['Sellthrough.tab.link_ready'] = 'The link lets you in once, within the next minutes.';
$lang['Sellthrough.tab.continue'] = 'Continue to your plan';

$lang['Sellthrough.getCronTasks.keep_in_step'] = 'Compare services with Sellthrough';
$lang['Sellthrough.getCronTasks.keep_in_step_description'] = 'Moves renewal dates forward to what is paid at Sellthrough, takes over suspensions and cancellations, and reports what else differs.';

$lang['Sellthrough.!error.account_name.empty'] = 'Please enter a label.';
$lang['Sellthrough.!error.address.format'] = 'The address must be that of the service alone, such as https://sell.example.com.';
$lang['Sellthrough.!error.api_key.empty'] = 'Please enter an API key.';
$lang['Sellthrough.!error.prefix.format'] = 'The prefix must have 1 to 20 letters, digits, dots, underscores or hyphens, and begin with a letter or digit.';
$lang['Sellthrough.!error.package_id.format'] = 'Please choose a package.';
$lang['Sellthrough.!error.cost_limit.format'] = 'The cost limit must be an amount such as 12.50.';
$lang['Sellthrough.!error.module_row.missing'] = 'There is no Sellthrough account for this package.';
$lang['Sellthrough.!error.service_id'] = 'Add the service as pending, and activate it then: only then does it have a number, without which a repeated order could be charged twice. Nothing was charged.';
$lang['Sellthrough.!error.other_account'] = 'The new package belongs to another account at Sellthrough, where this plan does not exist. Nothing was charged. Cancel this service and add a new one.';
