<?php
/** What both modules share. Each package has a copy of it in lib/, put there when it is built. */

declare(strict_types=1);

namespace Sellthrough\Billing;

if (!defined(__NAMESPACE__ . '\VERSION')) {
    define(__NAMESPACE__ . '\VERSION', '1.1.0');
}

require_once __DIR__ . '/Refusal.php';
require_once __DIR__ . '/Sentences.php';
require_once __DIR__ . '/Api.php';
require_once __DIR__ . '/Balance.php';
require_once __DIR__ . '/PackageList.php';
require_once __DIR__ . '/ServicePlan.php';
require_once __DIR__ . '/Comparison.php';
require_once __DIR__ . '/PlanLimits.php';
require_once __DIR__ . '/PlanRows.php';
require_once __DIR__ . '/Terms.php';
