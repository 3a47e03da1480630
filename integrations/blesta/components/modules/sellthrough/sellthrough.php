<?php

require_once __DIR__ . '/lib/load.php';

use Sellthrough\Billing\Api;
use Sellthrough\Billing\Balance;
use Sellthrough\Billing\CannotDo;
use Sellthrough\Billing\Comparison;
use Sellthrough\Billing\PackageList;
use Sellthrough\Billing\PlanRows;
use Sellthrough\Billing\Problem;
use Sellthrough\Billing\Sentences;
use Sellthrough\Billing\ServicePlan;
use Sellthrough\Billing\Terms;

/**
 * Sellthrough for Blesta: components/modules/sellthrough/.
 *
 * A module row is an account at a Sellthrough service, a package one of its packages, a service one of its customers. What orders
 * do and why none is charged twice stands in lib/ServicePlan.php; here Blesta's methods are translated into it.
 *
 * @see https://docs.blesta.com/display/dev/Modules
 */
class Sellthrough extends Module
{
    private const STATE = 'sellthrough_state';
    private const REFERENCE = 'sellthrough_reference';

    /**
     * Initializes the module
     */
    public function __construct()
    {
        $this->loadConfig(dirname(__FILE__) . DS . 'config.json');
        Loader::loadComponents($this, ['Input']);
        Language::loadLang('sellthrough', null, dirname(__FILE__) . DS . 'language' . DS);
    }

    /**
     * Adds the daily comparison
     */
    public function install()
    {
        Loader::loadModels($this, ['CronTasks']);
        foreach ($this->getCronTasks() as $task) {
            $task_id = $this->CronTasks->add($task);
            if (!$task_id) {
                $known = $this->CronTasks->getByKey($task['key'], $task['dir'], $task['task_type']);
                $task_id = $known ? $known->id : null;
            }
            if ($task_id) {
                $this->CronTasks->addTaskRun($task_id, ['enabled' => $task['enabled'], 'time' => $task['type_value']]);
            }
        }
    }

    /**
     * Removes the daily comparison
     *
     * @param int $module_id The ID of the module being uninstalled
     * @param bool $last_instance True if $module_id is the last instance across all companies for this module
     */
    public function uninstall($module_id, $last_instance)
    {
        Loader::loadModels($this, ['CronTasks']);
        foreach ($this->getCronTasks() as $task) {
            $run = $this->CronTasks->getTaskRunByKey($task['key'], $task['dir'], false, $task['task_type']);
            if ($run) {
                $this->CronTasks->deleteTaskRun($run->task_run_id);
            }
            $known = $this->CronTasks->getByKey($task['key'], $task['dir'], $task['task_type']);
            if ($last_instance && $known) {
                $this->CronTasks->deleteTask($known->id, $task['task_type'], $task['dir']);
            }
        }
    }

    // ---- accounts

    /**
     * Returns the rendered view of the manage module page
     *
     * @param mixed $module A stdClass object representing the module and its rows
     * @param array $vars An array of post data submitted to the page
     * @return string HTML content
     */
    public function manageModule($module, array &$vars)
    {
        return $this->page('manage', ['module' => $module], ['Form', 'Html', 'Widget']);
    }

    /**
     * Returns the rendered view of the add module row page
     *
     * @param array $vars An array of post data submitted to the page
     * @return string HTML content
     */
    public function manageAddRow(array &$vars)
    {
        return $this->page('row', ['vars' => (object) $vars, 'title' => 'add_module_row'], ['Form', 'Html', 'Widget']);
    }

    /**
     * Returns the rendered view of the edit module row page
     *
     * @param stdClass $module_row The stdClass representation of the existing module row
     * @param array $vars An array of post data submitted to the page
     * @return string HTML content
     */
    public function manageEditRow($module_row, array &$vars)
    {
        if (empty($vars)) {
            $vars = (array) $module_row->meta;
        }
        return $this->page('row', ['vars' => (object) $vars, 'title' => 'edit_module_row'], ['Form', 'Html', 'Widget']);
    }

    /**
     * Adds the account once its address and key have been tried. Sets Input errors on failure.
     *
     * @param array $vars An array of module info to add
     * @return array|null meta fields for the module row
     */
    public function addModuleRow(array &$vars)
    {
        $vars['address'] = rtrim(trim($vars['address'] ?? ''), '/');
        $this->Input->setRules([
            'account_name' => ['empty' => [
                'rule' => 'isEmpty',
                'negate' => true,
                'message' => Language::_('Sellthrough.!error.account_name.empty', true)
            ]],
            'address' => ['format' => [
                'rule' => ['matches', '#^https?://[A-Za-z0-9.\[\]:-]+$#'],
                'message' => Language::_('Sellthrough.!error.address.format', true)
            ]],
            'api_key' => ['empty' => [
                'rule' => 'isEmpty',
                'negate' => true,
                'message' => Language::_('Sellthrough.!error.api_key.empty', true)
            ]],
            'prefix' => ['format' => [
                'rule' => ['matches', '/^[A-Za-z0-9][A-Za-z0-9._-]{0,19}$/'],
                'message' => Language::_('Sellthrough.!error.prefix.format', true)
            ]]
        ]);
        if (!$this->Input->validates($vars)) {
            return;
        }
        try {
            $this->api((object) ['meta' => (object) $vars])->ask('getBalance');
        } catch (Problem $problem) {
            $this->refuse($problem, 'api_key');
            return;
        }
        $meta = [];
        foreach (['account_name', 'address', 'api_key', 'prefix'] as $key) {
            $meta[] = ['key' => $key, 'value' => $vars[$key], 'encrypted' => $key === 'api_key' ? 1 : 0];
        }
        return $meta;
    }

    /**
     * Edits the account; services keep the customers that they have
     *
     * @param stdClass $module_row The stdClass representation of the existing module row
     * @param array $vars An array of module info to update
     * @return array|null meta fields for the module row
     */
    public function editModuleRow($module_row, array &$vars)
    {
        return $this->addModuleRow($vars);
    }

    // ---- packages

    /**
     * Returns all fields used when adding/editing a package
     *
     * @param stdClass $vars A stdClass object representing a set of post fields
     * @return ModuleFields the fields to render
     */
    public function getPackageFields($vars = null)
    {
        Loader::loadHelpers($this, ['Html']);
        $fields = new ModuleFields();
        $meta = (array) ($vars->meta ?? []);
        $text = fn (string $name) => Language::_("Sellthrough.package.$name", true);

        $rows = $this->getModuleRows($vars->module_group ?? null);
        $row = ($vars->module_row ?? 0) > 0 ? $this->getModuleRow($vars->module_row) : ($rows[0] ?? null);
        $choices = [];
        if ($row) {
            try {
                $choices = (new PackageList($this->api($row)))->choices($this->sentences());
            } catch (Problem $problem) {
                // The page is shown with the reason in place of the packages, and what was chosen before.
                $reason = $this->sentences()->say('packages_away', ['reason' => $this->sentences()->of($problem)]);
                $fields->setHtml('<div class="alert alert-danger">' . $this->Html->safe($reason) . '</div>');
                $choices = isset($meta['package_id']) ? [$meta['package_id'] => $meta['package_id']] : [];
            }
        }
        $select = function (string $name, array $options) use ($fields, $meta, $text): void {
            $label = $fields->label($text($name), "sellthrough_$name");
            $label->attach($fields->fieldSelect("meta[$name]", $options, $meta[$name] ?? null, ['id' => "sellthrough_$name"]));
            $fields->setField($label);
        };
        $select('package_id', $choices);

        $limit = $fields->label($text('cost_limit'), 'sellthrough_cost_limit');
        $limit->attach($fields->fieldText('meta[cost_limit]', $meta['cost_limit'] ?? null, ['id' => 'sellthrough_cost_limit']));
        $limit->attach($fields->tooltip($text('cost_limit_tip')));
        $fields->setField($limit);

        $select('termination', ['now' => $text('termination_now'), 'period_end' => $text('termination_period_end')]);
        $select('step', ['apply' => $text('step_apply'), 'report' => $text('step_report')]);

        $email = $fields->label($text('email'), 'sellthrough_email');
        $email->attach($fields->fieldCheckbox('meta[email]', 'on', ($meta['email'] ?? '') === 'on', ['id' => 'sellthrough_email']));
        $fields->setField($email);
        return $fields;
    }

    /**
     * Validates input data when attempting to add a package. Sets Input errors on failure.
     *
     * @param array $vars An array of key/value pairs used to add the package
     * @return array meta fields to be stored for this package
     */
    public function addPackage(?array $vars = null)
    {
        $this->Input->setRules([
            'meta[package_id]' => ['format' => [
                'rule' => ['matches', '/^[1-9][0-9]{0,8}$/'],
                'message' => Language::_('Sellthrough.!error.package_id.format', true)
            ]],
            'meta[cost_limit]' => ['format' => [
                'if_set' => true,
                'rule' => ['matches', '/^$|^[0-9]{1,9}([.][0-9]{1,2})?$/'],
                'message' => Language::_('Sellthrough.!error.cost_limit.format', true)
            ]]
        ]);
        $meta = [];
        if ($this->Input->validates($vars)) {
            foreach (['package_id', 'cost_limit', 'termination', 'step', 'email'] as $key) {
                $meta[] = ['key' => $key, 'value' => (string) ($vars['meta'][$key] ?? ''), 'encrypted' => 0];
            }
        }
        return $meta;
    }

    /**
     * Validates input data when attempting to edit a package. Sets Input errors on failure.
     *
     * @param stdClass $package A stdClass object representing the selected package
     * @param array $vars An array of key/value pairs used to edit the package
     * @return array meta fields to be stored for this package
     */
    public function editPackage($package, ?array $vars = null)
    {
        return $this->addPackage($vars);
    }

    // ---- services

    /**
     * The customer is asked nothing
     *
     * @param stdClass $package A stdClass object representing the selected package
     * @param array $vars An array of user supplied info to satisfy the request
     * @return bool True
     */
    public function validateService($package, ?array $vars = null)
    {
        return true;
    }

    /**
     * Adds the service: a reference while it is pending, an order when it is activated. Sets Input errors on failure.
     *
     * @param stdClass $package A stdClass object representing the selected package
     * @param array $vars An array of user supplied info to satisfy the request
     * @param stdClass $parent_package A stdClass object representing the parent service's selected package
     * @param stdClass $parent_service A stdClass object representing the parent service
     * @param string $status The status of the service being added
     * @return array|null meta fields to be stored for this service
     */
    public function addService(
        $package,
        ?array $vars = null,
        $parent_package = null,
        $parent_service = null,
        $status = 'pending'
    ) {
        $row = $this->getModuleRow();
        if (!$row) {
            $this->Input->setErrors(['module_row' => ['missing' => Language::_('Sellthrough.!error.module_row.missing', true)]]);
            return;
        }
        $service_id = (string) ($vars['service_id'] ?? '');
        $known = (string) ($vars[self::REFERENCE] ?? '');
        if (($vars['use_module'] ?? 'true') !== 'true') {
            // Not ordered yet, or not by this module: a name that only this service has; its number comes later.
            $state = (string) ($vars[self::STATE] ?? '{}');
            return $this->fields($known !== '' ? $known : "{$row->meta->prefix}-" . bin2hex(random_bytes(6)), $state);
        }
        if ($known === '' && $service_id === '') {
            $this->Input->setErrors(['service_id' => ['missing' => Language::_('Sellthrough.!error.service_id', true)]]);
            return;
        }
        $kept = $this->keptFields($service_id, $vars);
        $reference = $service_id !== '' ? "{$row->meta->prefix}-$service_id" : $known;
        return $this->attempt($row, $kept, $service_id, function (ServicePlan $plan) use ($package, $row, $vars, $reference, $service_id) {
            $pricing = $this->pricingOf($package, (int) ($vars['pricing_id'] ?? 0));
            $terms = $this->terms($package, $pricing, $row);
            $plan->create($plan->reference() ?? $reference, $terms->packageId, $terms->months, $terms->costLimit, [
                'name' => $this->clientName((int) ($vars['client_id'] ?? 0), ($package->meta->email ?? '') === 'on'),
                'external_ref' => $service_id
            ]);
        });
    }

    /**
     * Nothing can be edited but what the other methods do
     *
     * @param stdClass $package A stdClass object representing the current package
     * @param stdClass $service A stdClass object representing the current service
     * @param array $vars An array of user supplied info to satisfy the request
     * @param stdClass $parent_package A stdClass object representing the parent service's selected package
     * @param stdClass $parent_service A stdClass object representing the parent service
     * @return null to maintain the existing meta fields
     */
    public function editService($package, $service, ?array $vars = null, $parent_package = null, $parent_service = null)
    {
        return null;
    }

    /**
     * Ends the plan. Sets Input errors on failure, preventing the service from being canceled.
     *
     * @return array|null meta fields to be stored for this service
     */
    public function cancelService($package, $service, $parent_package = null, $parent_service = null)
    {
        $at = ($package->meta->termination ?? '') === 'period_end' ? 'period_end' : 'now';
        return $this->attemptOn($service, fn (ServicePlan $plan) => $plan->end($at));
    }

    /**
     * Suspends the customer. Sets Input errors on failure, preventing the service from being suspended.
     *
     * @return array|null meta fields to be stored for this service
     */
    public function suspendService($package, $service, $parent_package = null, $parent_service = null)
    {
        return $this->attemptOn($service, fn (ServicePlan $plan) => $plan->suspend((string) ($service->suspension_reason ?? '')));
    }

    /**
     * Lifts the suspension. Sets Input errors on failure, preventing the service from being unsuspended.
     *
     * @return array|null meta fields to be stored for this service
     */
    public function unsuspendService($package, $service, $parent_package = null, $parent_service = null)
    {
        return $this->attemptOn($service, fn (ServicePlan $plan) => $plan->resume());
    }

    /**
     * Renews the plan, once for each renewal date. Sets Input errors on failure, preventing the service from renewing.
     *
     * @return array|null meta fields to be stored for this service
     */
    public function renewService($package, $service, $parent_package = null, $parent_service = null)
    {
        return $this->attemptOn($service, function (ServicePlan $plan, $row) use ($package, $service) {
            $terms = $this->terms($package, $service->package_pricing ?? null, $row);
            $plan->renew($terms->packageId, $terms->months, $terms->costLimit, substr((string) $service->date_renews, 0, 10));
        });
    }

    /**
     * Orders the new package for the same customer. Sets Input errors on failure, preventing the package from being changed.
     *
     * @return array|null meta fields to be stored for this service
     */
    public function changeServicePackage($package_from, $package_to, $service, $parent_package = null, $parent_service = null)
    {
        return $this->attemptOn($service, function (ServicePlan $plan, $row) use ($package_to, $service) {
            $other = (int) ($package_to->module_row ?? 0);
            if ($other > 0 && (int) $row->id !== $other) {
                throw new CannotDo('!error.other_account');
            }
            // Blesta does not say which term of the new package was chosen; the service keeps its term.
            $terms = $this->terms($package_to, $service->package_pricing ?? null, $row);
            $plan->change($terms->packageId, $terms->months, $terms->costLimit);
        });
    }

    // ---- pages of a service

    /**
     * Returns all tabs to display to an admin when managing a service
     *
     * @param stdClass $package A stdClass object representing the selected package
     * @return array An array of tabs in the format of method => title
     */
    public function getAdminTabs($package)
    {
        return ['tabPlan' => Language::_('Sellthrough.tab_plan', true)];
    }

    /**
     * Returns all tabs to display to a client when managing a service
     *
     * @param stdClass $package A stdClass object representing the selected package
     * @return array An array of tabs in the format of method => title
     */
    public function getClientTabs($package)
    {
        return ['tabClientPlan' => Language::_('Sellthrough.tab_plan', true)];
    }

    /**
     * The plan, for staff, with a button that compares it
     *
     * @return string the contents of this tab
     */
    public function tabPlan($package, $service, ?array $get = null, ?array $post = null, ?array $files = null)
    {
        $found = '';
        if (($post['action'] ?? '') === 'compare') {
            $notes = $this->keepInStep($package, $service, null);
            $found = $notes === '' ? $this->sentences()->say('in_step') : $notes;
        }
        try {
            $balance = Balance::of($this->api($this->rowOf($service)), $this->sentences());
        } catch (Problem $problem) {
            $balance = ['value' => $this->sentences()->of($problem), 'warning' => '', 'link' => ''];
        }
        return $this->planPage('tab_plan', $package, $service, ['found' => $found, 'balance' => $balance]);
    }

    /**
     * The plan, for the client, with a button that lets them in
     *
     * @return string the contents of this tab
     */
    public function tabClientPlan($package, $service, ?array $get = null, ?array $post = null, ?array $files = null)
    {
        $link = '';
        if (($post['action'] ?? '') === 'login') {
            try {
                $link = $this->plan($this->rowOf($service), $this->fieldsOf($service), (string) $service->id)->loginLink();
            } catch (Problem $problem) {
                $this->refuse($problem, 'login');
            }
        }
        return $this->planPage('tab_client_plan', $package, $service, ['link' => $link]);
    }

    /**
     * The customer's reference, where services are listed. Makes no call: the list may be long.
     *
     * @return string HTML content
     */
    public function getAdminServiceInfo($service, $package)
    {
        return $this->page('service_info', ['fields' => $this->serviceFieldsToObject($service->fields)], ['Html']);
    }

    /**
     * The customer's reference, where services are listed
     *
     * @return string HTML content
     */
    public function getClientServiceInfo($service, $package)
    {
        return $this->page('service_info', ['fields' => $this->serviceFieldsToObject($service->fields)], ['Html']);
    }

    // ---- the daily comparison

    /**
     * Runs the cron task identified by the key used to create the cron task
     *
     * @param string $key The key used to create the cron task
     * @see CronTasks::add()
     */
    public function cron($key)
    {
        if ($key !== 'keep_in_step') {
            return;
        }
        Loader::loadModels($this, ['Services', 'Packages']);
        $customers = [];
        foreach (['active', 'suspended', 'canceled'] as $status) {
            $seen = [];
            for ($page = 1; ; $page++) {
                $filters = ['module_id' => $this->getModule()->id];
                $listed = $this->Services->getList(null, $status, $page, ['date_added' => 'ASC'], true, $filters);
                // A page too far shows the last one again.
                $new = array_filter($listed ?: [], fn ($one) => !isset($seen[$one->id]));
                if ($new === []) {
                    break;
                }
                foreach ($new as $one) {
                    $seen[$one->id] = true;
                }
            }
            foreach (array_keys($seen) as $id) {
                $service = $this->Services->get($id);
                if (!$service) {
                    continue;
                }
                $package = $this->Packages->get($service->package_pricing->package_id ?? $service->package->id);
                $row = $this->rowOf($service);
                if (!$package || !$row) {
                    continue;
                }
                if (!array_key_exists($row->id, $customers)) {
                    $customers[$row->id] = $this->customersOf($row);
                }
                if ($customers[$row->id] !== null) {
                    $this->keepInStep($package, $service, $customers[$row->id]);
                }
            }
        }
    }

    /**
     * Retrieves cron tasks available to this module along with their default values
     *
     * @return array A list of cron tasks
     */
    private function getCronTasks()
    {
        return [[
            'key' => 'keep_in_step',
            'task_type' => 'module',
            'dir' => 'sellthrough',
            'name' => Language::_('Sellthrough.getCronTasks.keep_in_step', true),
            'description' => Language::_('Sellthrough.getCronTasks.keep_in_step_description', true),
            'type' => 'time',
            'type_value' => '05:30:00',
            'enabled' => 1
        ]];
    }

    /** @return array|null the customers of an account by their id; null where they cannot be read */
    private function customersOf($row)
    {
        try {
            return array_column($this->api($row)->all('eachCustomer'), null, 'id');
        } catch (Problem $problem) {
            $this->log($row->meta->address . '|keep_in_step', $this->sentences()->of($problem), 'output', false);
            return null;
        }
    }

    /**
     * @param array|null $customers by their id; null to ask for this one
     * @return string what differs, in sentences; empty where nothing does
     */
    private function keepInStep($package, $service, $customers)
    {
        $row = $this->rowOf($service);
        $fields = $this->fieldsOf($service);
        $plan = $this->plan($row, $fields, (string) $service->id);
        $sentences = $this->sentences();
        if (!$plan->isCreated() && !$plan->waitsForAnswer()) {
            return '';
        }
        $notes = [];
        try {
            if ($plan->waitsForAnswer()) {
                $notes[] = $sentences->say('differs_waiting');
            } else {
                $id = json_decode($fields[self::STATE], true)['customer_id'];
                $found = Comparison::of(
                    ['active' => 'active', 'suspended' => 'suspended'][$service->status] ?? 'ended',
                    substr((string) $service->date_renews, 0, 10),
                    $customers === null ? $plan->customer() : ($customers[$id] ?? null),
                    $this->packageName($package, $row)
                );
                foreach ($found['notes'] as [$name, $words]) {
                    $notes[] = $sentences->say($name, $words);
                }
                $changes = array_filter([
                    'date_renews' => $found['due'] === null ? null : $found['due'] . ' 00:00:00',
                    'status' => ['suspended' => 'suspended', 'ended' => 'canceled'][$found['status'] ?? ''] ?? null
                ]);
                if ($changes !== [] && ($package->meta->step ?? '') !== 'report') {
                    Loader::loadModels($this, ['Services']);
                    // It has happened at Sellthrough: the module is not asked to do it again.
                    $this->Services->edit($service->id, $changes + ['use_module' => 'false'], true);
                    $errors = $this->Services->errors();
                    $notes[] = $errors ? json_encode($errors) : $sentences->say('taken_over');
                }
            }
        } catch (Problem $problem) {
            $notes[] = $sentences->of($problem);
        }
        if ($notes !== []) {
            $this->log($row->meta->address . "|keep_in_step {$service->id}", implode(' ', $notes), 'output', true);
        }
        return implode(' ', $notes);
    }

    // ---- what the methods above share

    private function attemptOn($service, callable $action)
    {
        $row = $this->rowOf($service);
        if (!$row) {
            $this->Input->setErrors(['module_row' => ['missing' => Language::_('Sellthrough.!error.module_row.missing', true)]]);
            return null;
        }
        return $this->attempt($row, $this->fieldsOf($service), (string) $service->id, $action);
    }

    /** @return array|null the fields of the service; null, and Input errors, where it cannot be done */
    private function attempt($row, array $kept, string $service_id, callable $action)
    {
        $state = (string) ($kept[self::STATE] ?? '{}');
        try {
            $action($this->plan($row, $kept, $service_id, $state), $row);
        } catch (Problem $problem) {
            $this->refuse($problem, 'sellthrough');
            return null;
        }
        $reference = json_decode($state, true)['reference'] ?? ($kept[self::REFERENCE] ?? '');
        return $this->fields($reference, $state);
    }

    private function fields(string $reference, string $state): array
    {
        return [
            ['key' => self::REFERENCE, 'value' => $reference, 'encrypted' => 0],
            ['key' => self::STATE, 'value' => $state, 'encrypted' => 0]
        ];
    }

    /** @param string $state follows what is remembered */
    private function plan($row, array $kept, string $service_id, &$state = null): ServicePlan
    {
        $remember = function (array $now) use ($service_id, &$state): void {
            $state = json_encode($now, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
            if ($service_id !== '') {
                // At once, not when the method returns: what is outstanding must not be forgotten on the way.
                Loader::loadModels($this, ['Services']);
                $this->Services->editField($service_id, ['key' => self::STATE, 'value' => $state, 'encrypted' => 0]);
            }
        };
        $known = json_decode((string) ($kept[self::STATE] ?? '{}'), true);
        return new ServicePlan($this->api($row), is_array($known) ? $known : [], $remember);
    }

    /** Stored fields of an active service. Blesta passes its number, and not always its fields. */
    private function keptFields(string $service_id, array $vars): array
    {
        if ($service_id !== '') {
            Loader::loadModels($this, ['Services']);
            $service = $this->Services->get($service_id);
            if ($service) {
                return array_filter($this->fieldsOf($service), fn ($value) => $value !== '');
            }
        }
        return array_filter([
            self::REFERENCE => (string) ($vars[self::REFERENCE] ?? ''),
            self::STATE => (string) ($vars[self::STATE] ?? '')
        ]);
    }

    private function fieldsOf($service): array
    {
        return (array) $this->serviceFieldsToObject($service->fields);
    }

    private function rowOf($service)
    {
        return $this->getModuleRow($service->module_row_id ?? null);
    }

    private function api($row): Api
    {
        $log = function (string $action, string $request, string $response, bool $succeeded) use ($row): void {
            $this->log($row->meta->address . '|' . $action, $request, 'input', true);
            $this->log($row->meta->address . '|' . $action, $response, 'output', $succeeded);
        };
        return new Api($row->meta->address, (string) $row->meta->api_key, $log);
    }

    private function sentences(): Sentences
    {
        return new Sentences(fn (string $name) => Language::_("Sellthrough.$name", true));
    }

    private function refuse(Problem $problem, string $field): void
    {
        $this->Input->setErrors([$field => ['refused' => $this->sentences()->of($problem)]]);
    }

    private function pricingOf($package, int $pricing_id)
    {
        foreach ($package->pricing ?? [] as $pricing) {
            if ((int) $pricing->id === $pricing_id) {
                return $pricing;
            }
        }
        return null;
    }

    /** @throws CannotDo */
    private function terms($package, $pricing, $row): Terms
    {
        $term = (int) ($pricing->term ?? 0);
        $period = (string) ($pricing->period ?? '');
        $months = ['month' => $term, 'year' => 12 * $term][$period] ?? null;
        return Terms::of(
            (string) ($package->meta->package_id ?? ''),
            $months,
            trim("$term $period"),
            (string) ($package->meta->cost_limit ?? ''),
            (string) ($row->meta->prefix ?? '')
        );
    }

    private function clientName(int $client_id, bool $with_email): string
    {
        Loader::loadModels($this, ['Clients']);
        $client = $client_id > 0 ? $this->Clients->get($client_id, false) : null;
        if (!$client) {
            return '';
        }
        $name = trim(($client->first_name ?? '') . ' ' . ($client->last_name ?? ''));
        $company = trim((string) ($client->company ?? ''));
        $name = $company === '' ? $name : trim("$company, $name", ', ');
        return $with_email && ($client->email ?? '') !== '' ? trim("$name <{$client->email}>") : $name;
    }

    private function packageName($package, $row): string
    {
        try {
            foreach ((new PackageList($this->api($row)))->all() as $offered) {
                if ((string) $offered['id'] === (string) ($package->meta->package_id ?? '')) {
                    return $offered['name'];
                }
            }
        } catch (Problem $problem) {
            // The comparison goes without it.
        }
        return '';
    }

    private function planPage(string $view, $package, $service, array $more): string
    {
        $sentences = $this->sentences();
        $row = $this->rowOf($service);
        $api = $this->api($row);
        $shown = ['rows' => [], 'message' => '', 'can_log_in' => false, 'service' => $service];
        $shown['test_mode'] = $api->isTest() ? $sentences->say('test_mode') : '';
        $shown['reference'] = $this->fieldsOf($service)[self::REFERENCE] ?? '';
        try {
            $customer = $this->plan($row, $this->fieldsOf($service), (string) $service->id)->customer();
            if ($customer === null) {
                $shown['message'] = $sentences->say('not_yet');
            } else {
                $shown['rows'] = PlanRows::of($customer, new PackageList($api), $sentences);
                $shown['rows'][] = ['label' => $sentences->say('days_left'), 'value' => (string) $customer['plan']['days_left']];
                $shown['can_log_in'] = $customer['plan']['active'] && $customer['status'] === 'active';
            }
        } catch (Problem $problem) {
            $shown['message'] = $view === 'tab_plan' ? $sentences->of($problem) : $sentences->say('away');
        }
        return $this->page($view, $more + $shown, ['Form', 'Html']);
    }

    private function page(string $view, array $values, array $helpers): string
    {
        $this->view = new View($view, 'default');
        $this->view->base_uri = $this->base_uri;
        Loader::loadHelpers($this, $helpers);
        $this->view->setDefaultView('components' . DS . 'modules' . DS . 'sellthrough' . DS);
        foreach ($values as $name => $value) {
            $this->view->set($name, $value);
        }
        return $this->view->fetch();
    }
}
